// Parts of a verdict: where the formula stands, its evidence, how it was read; and all verdicts in short.
import { h } from "./dom.js";

/** Where a formula of a document stands. */
export function place(part, sent) {
  return sent.kind !== "formulas" && "line" in part ? h("span.place", {}, `line ${part.line + 1}`) : null;
}

/** How many are right, wrong and open. */
export function summary(tones) {
  const said = [
    [tones.right, "right", "right"],
    [tones.wrong, "wrong", "wrong"],
    [tones.open, "not decided", "open"],
  ];
  return said
    .filter(([count]) => count)
    .map(([count, word, tone]) => h(`span.badge.${tone}`, {}, `${count} ${word}`));
}

/** In place of verdicts where there are none: what is to be done. */
export function nothing(unread, { kind, claims }) {
  if (unread) return h("span.badge.open", {}, `${unread} not read`);
  if (kind === "formulas" && !claims?.trim()) return "Write what you derived under “Claims”.";
  return "There is no claim in it yet.";
}

/** The evidence of a verdict, and how the formula was read. */
export function details(part) {
  const facts = Object.entries(part.evidence)
    .filter(([name]) => name !== "why")
    .map(([name, value]) => [name.replaceAll("_", " "), shortly(value)]);
  const inferred = Object.entries(part.inferred || {}).map(([name, shape]) => `${name}: ${shape}`);
  if (!facts.length && !part.reading.length && !inferred.length) return null;
  return h(
    "details",
    {},
    h("summary", {}, "Evidence, and how it was read"),
    facts.length
      ? h(
          "dl.facts",
          {},
          facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
        )
      : null,
    inferred.length ? h("p", {}, "shapes that follow from the text: ", inferred.join(", ")) : null,
    part.steps.length
      ? h(
          "ol",
          {},
          part.steps.map((step) => h("li", {}, `${step.verdict}: `, h("code", {}, step.step))),
        )
      : null,
    part.reading.length
      ? h(
          "ul.reading",
          {},
          part.reading.map((line) => h("li", {}, h("code", {}, line))),
        )
      : null,
  );
}

function shortly(value) {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toPrecision(4);
  if (Array.isArray(value)) return `(${value.map(shortly).join(", ")})`;
  if (value && typeof value === "object")
    return Object.entries(value)
      .map(([name, each]) => `${name} = ${shortly(each)}`)
      .join(", ");
  return String(value);
}
