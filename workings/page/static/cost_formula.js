// Counts by a formula: which of its pieces holds at some sizes, what its terms are worth, where it ends.

/** The polynomial for these sizes; of several, that of their residues. */
export function pieceAt(each, sizes) {
  return each.pieces.find((piece) =>
    piece.residues.every(([symbol, modulus, residue]) => sizes[symbol] % modulus === residue),
  );
}

export function termAt(term, sizes) {
  return (
    Object.entries(term.powers).reduce(
      (value, [symbol, power]) => value * sizes[symbol] ** power,
      term.over,
    ) / term.under
  );
}

export function valueOf(piece, sizes) {
  return piece.terms.reduce((sum, term) => sum + termAt(term, sizes), 0);
}

/** Why there is no such module at these sizes. */
export function misfit(cost, sizes) {
  for (const [multiple, divisor] of cost.multiples)
    if (sizes[multiple] % sizes[divisor]) return `${multiple} must be a multiple of ${divisor}.`;
  for (const [symbol, unit] of Object.entries(cost.units))
    if (sizes[symbol] % unit) return `${symbol} must be a multiple of ${unit}.`;
  return "";
}

/** Where a quantity's formula is known not to hold. */
export function unproven(each, sizes) {
  for (const [symbol, size] of Object.entries(each.departs))
    if (sizes[symbol] >= size) return `the formula does not hold from ${symbol} = ${size} on`;
  for (const [symbol, size] of Object.entries(each.since))
    if (sizes[symbol] < size) return `the formula does not hold below ${symbol} = ${size}`;
  for (const [first, second] of each.alike)
    if (sizes[first] === sizes[second])
      return `the formula does not hold where ${first} = ${second}`;
  for (const place of each.fails)
    if (Object.entries(place).every(([symbol, size]) => sizes[symbol] === size))
      return `the formula does not hold where ${Object.entries(place)
        .map(([symbol, size]) => `${symbol} = ${size}`)
        .join(", ")}`;
  return "";
}

export function keyOf(symbol) {
  return symbol.means || symbol.name;
}

/** The sizes of one model's symbols. */
export function sizesOf(cost, chosen) {
  return Object.fromEntries(cost.symbols.map((symbol) => [symbol.name, chosen[keyOf(symbol)]]));
}

export function whole(value) {
  if (!Number.isFinite(value)) return "–";
  if (value < 1e6) return Math.round(value).toLocaleString("en");
  const power = Math.floor(Math.log10(value) / 3);
  return `${(value / 1000 ** power).toPrecision(4)} ${["", "k", "M", "G", "T", "P", "E"][power] ?? `e${3 * power}`}`;
}
