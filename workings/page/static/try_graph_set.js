// Whole graphs: one of the test set drawn, its class, and which nodes decided.
import { h, meter, replace, labelled, select } from "./dom.js";
import { ask } from "./api.js";
import { COLOURS } from "./chart.js";
import { graphDrawing, legend } from "./graph_drawing.js";

export function show(view, run, about) {
  let asked = "";
  const picture = h("div");
  const told = h("div");

  async function open(name) {
    asked = name;
    replace(told, h("p.busy", {}, "looking…"));
    try {
      const graph = await ask("api/try/graph_set", { run, graph: name });
      if (asked === name) draw(graph);
    } catch (error) {
      replace(told, h("p.wrong", {}, error.message));
    }
  }

  function draw(graph) {
    const kinds = [...new Set(graph.nodes.map((node) => node.kind))]
      .filter((kind) => kind >= 0)
      .sort((a, b) => a - b);
    const paint = (kind) => COLOURS[Math.max(0, kind) % COLOURS.length];
    const drawing = graphDrawing(graph.nodes, graph.edges, () => {});
    drawing.paint(
      (node) => ({
        class: "node still",
        fill: paint(node.kind),
        "fill-opacity": 0.15 + 0.85 * node.decided,
        title: `node ${node.name}, kind ${node.kind}: changes the answer by ${node.decided.toFixed(2)} of the most`,
      }),
      () => ({ class: "edge near" }),
    );
    const note = "the fuller its colour, the more a node's features change the answer";
    replace(
      picture,
      drawing.element,
      legend(
        kinds.map((kind) => [`kind ${kind}`, paint(kind)]),
        note,
      ),
    );
    const best = graph.p.indexOf(Math.max(...graph.p));
    const badge = graph.label === best ? "span.badge.right" : "span.badge.wrong";
    replace(
      told,
      h("h2", {}, `Graph ${graph.name}`),
      h(
        "p.big",
        {},
        h("strong", {}, `class ${about.classes[best]}`),
        ` ${(graph.p[best] * 100).toFixed(1)} %`,
        graph.label >= 0 && h(badge, {}, `is ${about.classes[graph.label]}`),
      ),
      h(
        "div.bars",
        {},
        about.classes.map((name, number) => [
          h("span", {}, name),
          meter(graph.p[number]),
          h("span.soft", {}, `${(graph.p[number] * 100).toFixed(1)} %`),
        ]),
      ),
      h("p.soft", {}, `${graph.nodes.length} nodes, ${graph.edges.length} edges; ${graph.split} graph`),
    );
  }

  const next = (by) => {
    graphs.selectedIndex = (graphs.selectedIndex + by + about.names.length) % about.names.length;
    open(graphs.value);
  };
  const graphs = select(about.names, about.names[0], open);
  const controls = h(
    "div.tools",
    {},
    labelled(`Test graph (of ${about.graphs.toLocaleString("en")} in all)`, graphs),
    h("button", { onclick: () => next(-1) }, "Before"),
    h("button", { onclick: () => next(1) }, "Next"),
  );
  const card = h("section.card", { "aria-label": "Graph" }, controls, picture);
  view.append(
    h(
      "div.columns",
      {},
      card,
      h("section.card", { "aria-label": "Prediction", "aria-live": "polite" }, told),
    ),
  );
  open(about.names[0]);
}
