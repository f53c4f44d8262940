// Edges that are not there yet: what a node is likely to be linked with, and what speaks for it.
import { h, meter, replace, labelled, select } from "./dom.js";
import { ask } from "./api.js";
import { COLOURS } from "./chart.js";
import { graphDrawing, legend } from "./graph_drawing.js";

export function show(view, run, about) {
  let relation = about.relations[0];
  let asked = "";
  const picture = h("div");
  const told = h("div");
  const names = h("datalist", { id: "nodes-of-the-relation" });
  const wanted = h("input", {
    type: "search",
    list: names.id,
    onchange: () => wanted.value && open(wanted.value),
  });

  async function open(name) {
    asked = name;
    replace(told, h("p.busy", {}, "scoring…"));
    try {
      const found = await ask("api/try/links", { run, node: name, relation: relation.name });
      if (asked === name) draw(found);
    } catch (error) {
      replace(told, h("p.wrong", {}, error.message));
    }
  }

  function draw({ nodes, edges, likely, centre }) {
    const offered = new Set(likely.map((each) => each.at));
    const all = [...edges, ...likely.map((each) => [centre, each.at, null])];
    const sources = new Set(relation.names);
    const drawing = graphDrawing(
      nodes,
      all,
      (number) => sources.has(nodes[number].name) && open(nodes[number].name),
    );
    drawing.paint(
      (node, number) => ({
        fill: COLOURS[node.type % COLOURS.length],
        class: `node${number === centre || offered.has(number) ? " chosen" : ""}`,
        larger: number === centre,
        title: `${node.name}: ${about.types[node.type]}`,
      }),
      ([j, i, name]) => ({
        class: name === null ? "edge likely" : i === centre || j === centre ? "edge near" : "edge",
      }),
    );
    const types = [...new Set(nodes.map((node) => node.type))].sort((a, b) => a - b);
    const note = "dashed: edges that the model expects";
    replace(
      picture,
      drawing.element,
      legend(
        types.map((type) => [about.types[type], COLOURS[type % COLOURS.length]]),
        note,
      ),
    );
    replace(
      told,
      h("h2", {}, `${nodes[centre].name} ${relation.name}…`),
      likely.length ? null : h("p", {}, "Nothing new is likely."),
      h(
        "div.bars",
        {},
        likely.map((each) => [
          h("strong", {}, each.name),
          meter(each.p),
          h("span.soft", {}, `${(each.p * 100).toFixed(1)} %`),
        ]),
      ),
      paths(likely.filter((each) => each.paths)),
    );
  }

  function choose(name) {
    relation = about.relations.find((each) => each.name === name);
    replace(
      names,
      relation.names.map((value) => h("option", { value })),
    );
    wanted.value = "";
    wanted.placeholder = relation.begin;
    open(relation.begin);
  }

  const relations = select(
    about.relations.map((each) => each.name),
    relation.name,
    choose,
  );
  const controls = h("div.tools", {}, labelled("Node", wanted), names, labelled("Relation", relations));
  const card = h("section.card", { "aria-label": "Graph" }, controls, picture);
  view.append(
    h(
      "div.columns",
      {},
      card,
      h("section.card", { "aria-label": "Likely edges", "aria-live": "polite" }, told),
    ),
  );
  choose(relation.name);
}

function paths(likely) {
  if (!likely.length) return null;
  const what = "They show what speaks for an edge in the graph, not what the network computed.";
  const lines = likely.map((each) => h("li", {}, h("strong", {}, each.name), `: ${each.paths}`));
  return h(
    "details",
    { open: true },
    h("summary", {}, "Paths that lead there"),
    h("ul.reading", {}, lines),
    h("p.soft", {}, what),
  );
}
