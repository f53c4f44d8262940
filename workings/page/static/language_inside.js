// What goes on inside a language model at each token: the gates of an LSTM, attention by layer and head.
import { h, replace } from "./dom.js";
import { chart, COLOURS, shader } from "./chart.js";

const MOST_UNITS = 120; // of a gate, a column each

/** How far the gates of an LSTM are open: their mean by token, and every unit's. */
export function gates(place, { tokens, layers }) {
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
export function maps(place, { tokens, weights }) {
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
