// Text that goes on from a prompt: tokens shaded by probability; a click shows what else could have come.
import { h, replace, labelled, meter, notice } from "./dom.js";
import { ask, parts } from "./api.js";
import { gates, maps } from "./language_inside.js";

export function show(view, run, about) {
  let tokens = []; // as generated, each with its alternatives
  let asked = null;
  let start = about.prompt;
  const values = { temperature: 0.8, top_k: 0, top_p: 1, length: about.level === "char" ? 200 : 60, seed: 1 };
  const prompt = h("textarea", {
    rows: 2,
    value: about.prompt,
    onkeydown: (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      generate([]);
    },
  });
  const text = h("div.generated", { "aria-live": "off" });
  const others = h("div");
  const state = h("p.status", { role: "status" });
  const attention = h("div");

  async function generate(after) {
    asked?.abort();
    const mine = (asked = new AbortController());
    tokens = after;
    replace(others);
    replace(state, h("span.busy", {}, "writing…"));
    try {
      for await (const part of parts(
        "api/try/generate",
        { run, prompt: prompt.value, after: after.map((each) => each.token), ...values },
        mine.signal,
      )) {
        if (mine !== asked) return;
        if ("prompt" in part) {
          start = part.prompt;
          if (part.unknown.length) notice(`Not in the vocabulary, read as <unk>: ${part.unknown.join(", ")}`);
          draw();
        } else text.append(...written(part, tokens.push(part) - 1));
      }
      replace(state, counted());
    } catch (error) {
      if (mine !== asked) return;
      if (error.name === "AbortError") replace(state, `stopped: ${counted()}`);
      else replace(state, h("span.wrong", {}, error.message));
    }
  }

  function counted() {
    const mean = tokens.reduce((sum, each) => sum + each.p, 0) / Math.max(1, tokens.length);
    return `${tokens.length} tokens, mean probability ${mean.toFixed(3)}`;
  }

  function draw() {
    replace(text, h("span.prompt", {}, start), tokens.map(written));
  }

  /** A token: its spaces stand before it, where a line may end. */
  function written(each, at) {
    const word = each.text.replace(/\n$/, each.text === "\n" ? "⏎" : "");
    const bare = word.trimStart() || word;
    const title = `${(each.p * 100).toFixed(1)} %`;
    const made = h("button.token", { title, onclick: () => explain(at) }, bare);
    made.style.setProperty("--sure", each.p.toFixed(3));
    const spaces = word.slice(0, word.length - bare.length);
    return [spaces, made, each.text.endsWith("\n") ? h("br") : ""];
  }

  function explain(at) {
    const each = tokens[at];
    if (!each) return; // of a text that is being written anew
    for (const [number, button] of text.querySelectorAll("button.token").entries())
      button.classList.toggle("chosen", number === at);
    replace(
      others,
      h(
        "section.card",
        { "aria-label": "Alternatives" },
        h("h3", {}, "In place of “", each.token, "” could have come"),
        h(
          "div.bars",
          {},
          each.others.map(([token, p]) => [
            h(
              "button.link",
              { onclick: () => go(at, token, p) },
              token === "\n" ? "⏎" : token === " " ? "␣" : token,
            ),
            meter(p),
            h("span.soft", {}, `${(p * 100).toFixed(1)} %`),
          ]),
        ),
        h("p.soft", {}, "Choose one, and the text goes on from there."),
      ),
    );
  }

  function go(at, token, p) {
    const before = tokens.slice(0, at);
    const spelt = about.level === "char" ? token : ` ${token}`;
    generate([...before, { token, text: spelt, p, others: tokens[at].others }]);
  }

  function slider(key, label, low, high, step, hint) {
    const shown = h("output", {}, values[key]);
    return h(
      "div.slider",
      {},
      labelled(
        h("span", {}, label, " ", shown),
        h("input", {
          type: "range",
          min: low,
          max: high,
          step,
          value: values[key],
          oninput: (event) => {
            values[key] = Number(event.target.value);
            shown.textContent = values[key];
          },
        }),
        hint,
      ),
    );
  }

  async function look(what, draw_) {
    const written = start + tokens.map((each) => each.text.replace(" ⏎", "")).join("");
    try {
      draw_(attention, await ask(`api/try/${what}`, { run, prompt: written }));
    } catch (error) {
      notice(error.message, true);
    }
  }

  view.append(
    h(
      "div.columns",
      {},
      h(
        "section.card",
        { "aria-label": "Prompt" },
        labelled("Prompt", prompt),
        h(
          "div.sliders",
          {},
          slider("temperature", "temperature", 0.1, 2, 0.05, "below 1 more careful, above 1 wilder"),
          slider("top_k", "top-k", 0, 100, 1, "0: all tokens"),
          slider("top_p", "top-p", 0.05, 1, 0.05, "the likeliest that together have this share"),
          slider("length", "length", 10, 400, 10, "most tokens"),
        ),
        h(
          "div.row",
          {},
          h("button.primary", { onclick: () => generate([]) }, "Write"),
          h(
            "button",
            {
              onclick: () => {
                values.seed += 1;
                generate([]);
              },
            },
            "Another one",
          ),
          h("button", { onclick: () => asked?.abort() }, "Stop"),
          about.attention && h("button", { onclick: () => look("attention", maps) }, "Attention"),
          about.gates && h("button", { onclick: () => look("gates", gates) }, "Gates"),
        ),
      ),
      h(
        "section",
        { "aria-label": "Text" },
        state,
        h(
          "div.card",
          {},
          text,
          h(
            "p.key",
            {},
            h("span.soft", {}, "unlikely "),
            h("i.shade"),
            h("span.soft", {}, " likely · click a word"),
          ),
        ),
        others,
      ),
    ),
    attention,
  );
  generate([]);
}
