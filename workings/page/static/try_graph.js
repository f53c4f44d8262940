// A graph's nodes coloured by class, what the model says of each, and how far information goes.
import { h, meter, replace, labelled, select } from "./dom.js";
import { ask } from "./api.js";
import { COLOURS } from "./chart.js";
import { graphDrawing, legend, stepsFrom } from "./graph_drawing.js";

const UNKNOWN = "#9aa6b5";
const paint = (number) => (number < 0 ? UNKNOWN : COLOURS[number % COLOURS.length]);
const isWrong = (node) => node.label >= 0 && node.label !== node.predicted;

export function show(view, run, about) {
  let [graph, drawing] = [null, null];
  let [colour, reach, chosen] = ["predicted", 1, 0];
  const picture = h("div");
  const below = h("div");
  const told = h("div");
  const names = h(
    "datalist",
    { id: "nodes-of-the-graph" },
    about.names.map((value) => h("option", { value })),
  );
  const wanted = h("input", {
    type: "search",
    list: names.id,
    placeholder: about.begin,
    onchange: () => wanted.value && open(wanted.value),
  });

  async function open(name) {
    if (!graph) replace(told, h("p.busy", {}, "drawing…"));
    try {
      graph = await ask("api/try/graph", { run, node: name });
      const again = (number) => number === chosen && !about.whole;
      const picked = (number) => (again(number) ? open(graph.nodes[number].name) : choose(number));
      drawing = graphDrawing(graph.nodes, graph.edges, picked);
      replace(picture, drawing.element);
      choose(graph.centre);
    } catch (error) {
      replace(told, h("p.wrong", {}, error.message));
    }
  }

  function choose(number) {
    chosen = number;
    draw();
  }

  function draw() {
    if (!graph) return;
    const steps = stepsFrom(chosen, graph.nodes, graph.edges);
    const byPrediction = colour === "predicted";
    const near = ([j, i]) => steps[i] <= reach && steps[j] <= reach;
    drawing.paint(
      (node, number) => ({
        fill: paint(byPrediction ? node.predicted : node.label),
        class: [
          "node",
          number === chosen && "chosen",
          steps[number] > reach && "far",
          byPrediction && isWrong(node) && "mistaken",
        ]
          .filter(Boolean)
          .join(" "),
        larger: number === chosen,
        title: `${node.name}: ${about.classes[node.predicted]}`,
      }),
      (edge) => ({
        class: near(edge) ? "edge near" : "edge",
        "stroke-width": graph.attention ? 0.3 + (graph.nodes.length > 120 ? 2 : 5) * edge[2] : 1,
      }),
    );
    const part = `${graph.nodes.length.toLocaleString("en")} of ${about.nodes.toLocaleString("en")} nodes, those nearest to ${graph.nodes[graph.centre].name}; click the chosen node again to go there.`;
    replace(
      below,
      legend(
        about.classes.map((name, number) => [name, paint(number)]),
        byPrediction ? "ring: predicted wrongly" : "",
      ),
      !about.whole && h("p.soft", {}, part),
      graph.attention && h("p.soft", {}, "An edge is as thick as the attention that goes along it."),
    );
    tell(steps);
  }

  function tell(steps) {
    const node = graph.nodes[chosen];
    const neighbours = steps.flatMap((far, number) => (far === 1 ? [number] : []));
    const within = steps.filter((far) => far <= reach).length;
    replace(
      told,
      h("h2", {}, `Node ${node.name}`),
      h(
        "p",
        {},
        h("strong", {}, about.classes[node.predicted]),
        ` ${(node.p[node.predicted] * 100).toFixed(1)} % `,
        node.label >= 0 &&
          h(isWrong(node) ? "span.badge.wrong" : "span.badge.right", {}, `is ${about.classes[node.label]}`),
        node.split && h("small", {}, ` ${node.split} node`),
      ),
      h(
        "div.bars",
        {},
        about.classes.map((name, number) => [
          h("span", {}, name),
          meter(node.p[number], paint(number)),
          h("span.soft", {}, `${(node.p[number] * 100).toFixed(1)} %`),
        ]),
      ),
      attended(),
      h(
        "p.soft",
        {},
        `${within} nodes within ${reach} step${reach === 1 ? "" : "s"}; ${neighbours.length} neighbours:`,
      ),
      h(
        "p.names",
        {},
        neighbours
          .slice(0, 40)
          .map((number) => [
            h("button.link", { onclick: () => choose(number) }, graph.nodes[number].name),
            " ",
          ]),
      ),
    );
  }

  function attended() {
    const into = graph.attention ? graph.edges.filter(([, i]) => i === chosen) : [];
    if (!into.length) return null;
    const most = into.sort((a, b) => b[2] - a[2]).slice(0, 6);
    const bars = most.map(([j, , weight]) => [
      h("span", {}, graph.nodes[j].name),
      meter(weight),
      h("span.soft", {}, weight.toFixed(2)),
    ]);
    return h("div", {}, h("h3", {}, "It attends to"), h("div.bars", {}, bars));
  }

  const far = h("output", {}, "1 step");
  const slide = (event) => {
    reach = Number(event.target.value);
    far.textContent = `${reach} step${reach === 1 ? "" : "s"}`;
    draw();
  };
  const colours = [
    ["predicted", "predicted class"],
    ["class", "true class"],
  ];
  const recolour = (value) => {
    colour = value;
    draw();
  };
  const spread = h("input", { type: "range", min: 1, max: 6, step: 1, value: 1, oninput: slide });
  const controls = h(
    "div.tools",
    {},
    labelled("Node", wanted),
    names,
    labelled("Colour", select(colours, colour, recolour)),
    labelled(h("span", {}, "Spread: ", far), spread),
  );
  const card = h("section.card", { "aria-label": "Graph" }, controls, picture, below);
  view.append(
    h("div.columns", {}, card, h("section.card", { "aria-label": "Node", "aria-live": "polite" }, told)),
  );
  open(about.begin);
}
