// A config as text: the form's values as TOML, and where in it a mistake is.

/** The line that an error is about: one that it names, or that of its key; -1 where there is none. */
export function lineOf(text, wrong) {
  const numbered = wrong.match(/\bline (\d+)/);
  if (numbered) return Number(numbered[1]) - 1;
  const [section, key] = (wrong.match(/^([\w.-]+):/)?.[1] || "").split(/\.(.*)/);
  if (!section) return -1;
  let within = "";
  return text.split("\n").findIndex((line) => {
    within = line.match(/^\s*\[(.+?)\]/)?.[1] ?? within;
    const name = line.match(/^\s*([\w-]+)\s*=/)?.[1];
    return name && (key ? within === section && name === key : !within && name === section);
  });
}

/** The form's values as a config file. */
export function toml({ task, kind, values }) {
  const lines = [`task = ${written(task)}`];
  if (values.seed !== undefined) lines.push(`seed = ${values.seed}`);
  for (const section of ["data", "model", "train"]) {
    const keys = Object.keys(values).filter((key) => key.startsWith(`${section}.`));
    const own = keys.map((key) => `${key.slice(section.length + 1)} = ${written(values[key])}`);
    if (section === "model") own.unshift(`kind = ${written(kind)}`);
    if (own.length) lines.push("", `[${section}]`, ...own);
  }
  return lines.join("\n") + "\n";
}

export function written(value) {
  return Array.isArray(value) ? `[${value.map(written).join(", ")}]` : JSON.stringify(value);
}
