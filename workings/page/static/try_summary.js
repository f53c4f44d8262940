// A function or a text in a few words.
import { h, meter, replace, labelled, select } from "./dom.js";
import { ask } from "./api.js";

export function show(view, run, about) {
  const found = h("div");
  let kind = "python";
  const text = h("textarea.code", { rows: 14, spellcheck: "false", value: about.text });
  async function go() {
    replace(found, h("p.busy", {}, "reading…"));
    try {
      const all = await ask("api/try/summary", { run, text: text.value, as: kind });
      replace(found, all.length ? all.map(drawn) : h("p", {}, "There is no function in it."));
    } catch (error) {
      replace(found, h("p.wrong", {}, error.message));
    }
  }
  function drawn(each) {
    return h(
      "div.entry",
      {},
      h("p", {}, h("code", {}, each.label), h("small", {}, ` line ${each.line}`)),
      h(
        "div.bars",
        {},
        each.summaries.map(([words, p]) => [
          h("strong", {}, words || "(nothing)"),
          meter(p),
          h("span.soft", {}, `${(p * 100).toFixed(1)} %`),
        ]),
      ),
      each.looked_at?.length
        ? h(
            "p.soft",
            {},
            each.looked_at.map((look) => `for “${look.word}” it looked at ${tokensOf(look)}`).join("; "),
          )
        : null,
    );
  }
  view.append(
    h(
      "div.columns",
      {},
      h(
        "section.card.editor",
        { "aria-label": "Text" },
        labelled(
          "It is",
          select(
            [
              ["python", "Python functions"],
              ["text", "plain text"],
            ],
            kind,
            (value) => {
              kind = value;
            },
          ),
        ),
        labelled("Text", text),
        h("p", {}, h("button.primary", { onclick: go }, "Sum it up")),
      ),
      h(
        "section.card",
        { "aria-label": "Summary", "aria-live": "polite" },
        h("h2", {}, "In a few words"),
        found,
      ),
    ),
  );
  go();
}

function tokensOf(look) {
  const texts = look.tokens.map((token) => (Array.isArray(token) ? token[0] : (token.token ?? token)));
  return [...new Set(texts)].join(", ");
}
