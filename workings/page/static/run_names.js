// What a run is called: without the digest of its settings where its study has no other run of that name.

const DIGEST = /-[0-9a-f]{8}$/;
const shortened = (row) => (row.study ? row.run.replace(DIGEST, "") : row.run);

/** Give each row its label. */
export function label(rows) {
  const count = new Map();
  const key = (row) => `${row.study}\n${shortened(row)}`;
  for (const row of rows) count.set(key(row), (count.get(key(row)) || 0) + 1);
  for (const row of rows) row.label = count.get(key(row)) > 1 ? row.run : shortened(row);
  return rows;
}

/** A metric as words: test.roc_auc is "test roc auc". */
export function inWords(metric) {
  return (metric || "").replace(/^valid\./, "validation ").replace(/^(test|train)\./, "$1 ").replaceAll("_", " ");
}
