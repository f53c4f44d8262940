// The Try page: a trained model is chosen, and its task's view is shown.
import { h, replace, labelled, notice, select } from "./dom.js";
import { ask } from "./api.js";
import { inWords, label } from "./run_names.js";
import * as graph from "./try_graph.js";
import * as graph_set from "./try_graph_set.js";
import * as images from "./try_images.js";
import * as language from "./try_language.js";
import * as links from "./try_links.js";
import * as speech from "./try_speech.js";
import * as summary from "./try_summary.js";

const VIEWS = { language, images, graph, graph_set, links, speech, summary };
const WORDS = {
  language: "writes text",
  images: "names pictures",
  graph: "classifies nodes, finds links",
  speech: "writes down speech",
  summary: "sums up code",
};

export async function show(main, wanted) {
  const { rows } = await ask("api/runs");
  const usable = label(rows)
    .filter((row) => row.task && row.state !== "damaged" && (row.epochs || row.state === "finished"))
    .sort((a, b) => (a.made < b.made ? 1 : -1));
  const view = h("div");
  main.append(
    h(
      "div.head",
      {},
      h("h1", {}, "Try it"),
      h("p.lead", {}, "Use a trained model: type, draw, drop a file."),
    ),
  );
  if (!usable.length) {
    main.append(
      h(
        "div.card.empty",
        {},
        h("p", {}, "No trained model here yet."),
        h(
          "p.soft",
          {},
          "Start a run on the ",
          h("a", { href: "#runs" }, "Runs page"),
          "; `make demo` makes one of every kind.",
        ),
      ),
    );
    return;
  }
  const name = decodeURIComponent(wanted);
  let chosen = usable.find((row) => row.name === name) || toBeginWith(usable, usable[0].task);
  if (name && chosen.name !== name) notice("That run has no weights yet; here is another one.");
  const cards = h("div.kinds", { role: "group", "aria-label": "Kinds of models" });
  const runs = h("div.inline");

  function choose(row) {
    chosen = row;
    history.replaceState(null, "", `#try/${encodeURIComponent(row.name)}`);
    draw();
    open();
  }

  function draw() {
    const known = Object.keys(WORDS);
    const tasks = [...new Set(usable.map((row) => row.task))].sort(
      (a, b) => known.indexOf(a) - known.indexOf(b),
    );
    replace(
      cards,
      tasks.map((task) =>
        h(
          "button",
          {
            "aria-pressed": String(task === chosen.task),
            onclick: () => choose(toBeginWith(usable, task)),
          },
          h("strong", {}, task),
          h("small", {}, WORDS[task] || ""),
        ),
      ),
    );
    const same = usable.filter((row) => row.task === chosen.task);
    replace(
      runs,
      labelled(
        "Run",
        select(
          same.map((row) => [row.name, described(row)]),
          chosen.name,
          (value) => choose(usable.find((row) => row.name === value)),
        ),
      ),
    );
  }

  async function open() {
    const asked = chosen;
    replace(view, h("p.busy", {}, "opening the model…"));
    try {
      const about = await ask("api/try/open", { run: asked.name });
      if (asked !== chosen) return;
      replace(view);
      VIEWS[about.view].show(view, asked.name, about);
    } catch (error) {
      if (asked === chosen) replace(view, h("p.wrong", {}, error.message));
    }
  }
  main.append(cards, h("div.tools", {}, runs), view);
  draw();
  open();
}

/** The newest run of a task; of a study's the one that did best by validation, among its like. */
function toBeginWith(rows, task) {
  const [newest, ...older] = rows.filter((row) => row.task === task);
  const isLike = (row) => newest.study && row.study === newest.study && row.metric === newest.metric;
  const cost = ({ valid, lower_is_better }) => (valid === null ? Infinity : lower_is_better ? valid : -valid);
  return older.filter(isLike).reduce((best, row) => (cost(row) < cost(best) ? row : best), newest);
}

function described(row) {
  const best = row.valid === null ? "" : `, ${inWords(row.metric)} ${Number(row.valid).toPrecision(3)}`;
  return `${row.label} (${row.model}${best})`;
}
