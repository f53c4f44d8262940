// Text that goes on from a prompt: tokens shaded by probability; a click shows what else could have come.
import { h, replace, labelled, meter, notice } from "./dom.js";
import { ask, parts } from "./api.js";
import { chart, COLOURS, shader } from "./chart.js";

const MOST_UNITS = 120; // of a gate, a column each

export function show(view, run, about) {
  let tokens = []; // as generated, each with its alternatives
  let asked = null;
  let start = about.prompt;
  const values = { temperature: 0.8, top_k: 0, top_p: 1, length: about.level === "char" ? 200 : 60, seed: 1 };
  const prompt = h("textarea", { rows: 2, value: about.prompt });
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
        } else tokens.push(part);
        draw();
      }
      replace(
        state,
        `${tokens.length} tokens, mean probability ${(tokens.reduce((sum, each) => sum + each.p, 0) / Math.max(1, tokens.length)).toFixed(3)}`,
      );
    } catch (error) {
      if (mine === asked && error.name !== "AbortError") replace(state, h("span.wrong", {}, error.message));
    }
  }

  function draw() {
    replace(
      text,
      h("span.prompt", {}, start),
      tokens.map((each, at) => {
        const made = h(
          "button.token",
          { title: `${(each.p * 100).toFixed(1)} %`, onclick: () => explain(at) },
          each.text.replace(/\n$/, each.text === "\n" ? "⏎" : ""),
        );
        made.style.setProperty("--sure", each.p.toFixed(3));
        return each.text.endsWith("\n") ? [made, h("br")] : made;
      }),
    );
  }

  function explain(at) {
    const each = tokens[at];
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

/** How far the gates of an LSTM are open: their mean by token, and every unit's. */
function gates(place, { tokens, layers }) {
  const shade = shader();
  const mean = (row) => row.reduce((sum, value) => sum + value, 0) / row.length;
  replace(
    place,
    h(
      "section.card",
      { "aria-label": "Gates" },
      h("h2", {}, "Gates"),
      h(
        "p.soft",
        {},
        `How far each gate is open, over the last ${tokens.length - 1} tokens: `,
        tokens.slice(1).join(" "),
      ),
      layers.map((layer, number) =>
        h(
          "div.maps.gates",
          {},
          h(
            "div.across",
            {},
            chart(
              Object.entries(layer).map(([name, rows], at) => ({
                name: `${name} gate`,
                colour: COLOURS[at],
                points: rows.map((row, token) => [token, mean(row)]),
              })),
              { x: "token", y: `layer ${number + 1}, mean`, width: Math.min(innerWidth, 1360) - 64 },
            ),
          ),
          Object.entries(layer).map(([name, rows]) => {
            const shown = Math.min(MOST_UNITS, rows[0].length);
            const canvas = h("canvas.gate", {
              width: shown,
              height: rows.length,
              role: "img",
              "aria-label": `${name} gate of layer ${number + 1}`,
            });
            const pen = canvas.getContext("2d");
            rows.forEach((row, y) =>
              row.slice(0, shown).forEach((value, x) => {
                pen.fillStyle = shade(value);
                pen.fillRect(x, y, 1, 1);
              }),
            );
            const units = shown < rows[0].length ? `the first ${shown} of ${rows[0].length}` : `${shown}`;
            return h(
              "figure",
              {},
              h("figcaption.soft", {}, `${name}: a row a token; ${units} units`),
              canvas,
            );
          }),
        ),
      ),
    ),
  );
}

/** What each token attends to: a square for every pair, by layer and head. */
function maps(place, { tokens, weights }) {
  const shade = shader();
  const size = Math.max(6, Math.min(16, Math.floor(320 / tokens.length)));
  replace(
    place,
    h(
      "section.card",
      { "aria-label": "Attention" },
      h("h2", {}, "Attention"),
      h("p.soft", {}, "A row for each token: how much it looks at those before it."),
      h(
        "div.maps",
        {},
        weights.map((layer, number) =>
          layer.map((head, at) => {
            const canvas = h("canvas", {
              width: tokens.length * size,
              height: tokens.length * size,
              role: "img",
              "aria-label": `attention of layer ${number + 1}, head ${at + 1}`,
            });
            const pen = canvas.getContext("2d");
            const said = h("p.soft.said", {}, "\u00a0");
            head.forEach((row, y) =>
              row.forEach((weight, x) => {
                pen.fillStyle = shade(Math.sqrt(weight));
                pen.fillRect(x * size, y * size, size - 0.5, size - 0.5);
              }),
            );
            canvas.addEventListener("pointermove", (event) => {
              const box = canvas.getBoundingClientRect();
              const [x, y] = [
                Math.floor(((event.clientX - box.left) / box.width) * tokens.length),
                Math.floor(((event.clientY - box.top) / box.height) * tokens.length),
              ];
              if (head[y]?.[x] !== undefined)
                said.textContent = `${tokens[y]} → ${tokens[x]}: ${head[y][x].toFixed(2)}`;
            });
            return h(
              "figure",
              {},
              h("figcaption.soft", {}, `layer ${number + 1}, head ${at + 1}`),
              canvas,
              said,
            );
          }),
        ),
      ),
    ),
  );
}
