// The form that names a class of one's own, where the server was started with --trust.
import { h, labelled, notice } from "./dom.js";

const FIELDS = { model: "package.module:Class", symbols: "n,d", args: "width=d", inputs: "n,d" };

/** A card; count({ model, symbols, args, inputs }) is called with what was written. */
export function ownClass(count) {
  const inputs = Object.fromEntries(
    Object.entries(FIELDS).map(([key, placeholder]) => [key, h("input", { type: "text", placeholder })]),
  );
  const go = () => {
    const asked = Object.fromEntries(Object.entries(inputs).map(([key, input]) => [key, input.value]));
    if (asked.model.includes(":")) count(asked);
    else notice("Name it as package.module:Class.", true);
  };
  const fields = Object.entries(inputs).map(([key, input]) => labelled(key, input));
  return h(
    "details.card",
    {},
    h("summary", {}, "A class of your own"),
    h("div.grid", {}, fields),
    h("p", {}, h("button.primary", { onclick: go }, "Count it")),
  );
}
