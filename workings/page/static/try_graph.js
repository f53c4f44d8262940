// A graph: its nodes coloured by class, what the model says of each, and how far information goes.
import { h, s, meter, replace, labelled, select } from "./dom.js";
import { ask } from "./api.js";
import { COLOURS } from "./chart.js";

const SIZE = 640;

export function show(view, run, about) {
  let graph = null;
  let colour = "predicted";
  let reach = 1;
  let chosen = 0;
  const drawing = h("div");
  const told = h("div");
  const names = h("datalist", { id: "nodes-of-the-graph" }, about.names.map((name) => h("option", { value: name })));
  const wanted = h("input", { type: "search", list: "nodes-of-the-graph", placeholder: about.begin, onchange: () => wanted.value && open(wanted.value) });

  async function open(name) {
    try {
      graph = await ask("api/try/graph", { run, node: name });
      choose(graph.centre);
    } catch (error) {
      replace(told, h("p.wrong", {}, error.message));
    }
  }

  const paint = (number) => (number < 0 ? "#9aa6b5" : COLOURS[number % COLOURS.length]);
  const wrong = (node) => node.label >= 0 && node.label !== node.predicted;

  function choose(at) {
    chosen = at;
    draw();
  }

  function draw() {
    if (!graph) return;
    const [xs, ys] = [graph.nodes.map((node) => node.x), graph.nodes.map((node) => node.y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const across = (x) => 14 + ((x - left) / (Math.max(...xs) - left || 1)) * (SIZE - 28);
    const down = (y) => 14 + ((y - top) / (Math.max(...ys) - top || 1)) * (SIZE * 0.72 - 28);
    const steps = distances(chosen);
    const radius = graph.nodes.length > 120 ? 4.5 : graph.nodes.length > 50 ? 6.5 : 9;
    const edges = graph.edges.map(([j, i, weight]) => s("line", { x1: across(xs[j]), y1: down(ys[j]), x2: across(xs[i]), y2: down(ys[i]), class: steps[i] <= reach && steps[j] <= reach ? "edge near" : "edge", "stroke-width": graph.attention ? 0.3 + 5 * weight : 1 }));
    const nodes = graph.nodes.map((node, at) => {
      const made = s("circle", { cx: across(node.x), cy: down(node.y), r: at === chosen ? radius * 1.5 : radius, fill: paint(node[colour === "class" ? "label" : "predicted"]), class: `node${at === chosen ? " chosen" : ""}${steps[at] > reach ? " far" : ""}${colour === "predicted" && wrong(node) ? " mistaken" : ""}`,
        tabindex: graph.nodes.length <= 60 ? 0 : -1, role: "button", "aria-label": `node ${node.name}` }, s("title", {}, `${node.name}: ${about.classes[node.predicted]}`));
      made.addEventListener("click", () => (at === chosen && !about.whole ? open(node.name) : choose(at)));
      made.addEventListener("keydown", (event) => { if (event.key === "Enter") choose(at); });
      return made;
    });
    replace(drawing, s("svg", { class: "graph", viewBox: `0 0 ${SIZE} ${SIZE * 0.72}`, role: "group", "aria-label": "The graph" }, edges, nodes),
      h("ul.legend", {}, about.classes.map((name, number) => { const swatch = h("i"); swatch.style.background = paint(number); return h("li", {}, swatch, name); }), h("li.soft", {}, colour === "predicted" ? "ring: predicted wrongly" : "")),
      !about.whole && h("p.soft", {}, `${graph.nodes.length} of ${about.nodes.toLocaleString("en")} nodes, those nearest to ${graph.nodes[graph.centre].name}; click the chosen node again to go there.`));
    tell(steps);
  }

  function distances(from) {
    const near = graph.nodes.map(() => []);
    for (const [j, i] of graph.edges) { near[i].push(j); near[j].push(i); }
    const steps = graph.nodes.map(() => Infinity);
    steps[from] = 0;
    const waiting = [from];
    for (const node of waiting) for (const other of near[node]) if (steps[other] === Infinity) { steps[other] = steps[node] + 1; waiting.push(other); }
    return steps;
  }

  function tell(steps) {
    const node = graph.nodes[chosen];
    const attended = graph.attention ? graph.edges.filter(([, i]) => i === chosen).sort((a, b) => b[2] - a[2]).slice(0, 6) : [];
    const neighbours = graph.nodes.filter((_, at) => steps[at] === 1);
    replace(told, h("h2", {}, `Node ${node.name}`),
      h("p", {}, h("strong", {}, about.classes[node.predicted]), ` ${(node.p[node.predicted] * 100).toFixed(0)} % `, node.label >= 0 && h(wrong(node) ? "span.badge.wrong" : "span.badge.right", {}, `is ${about.classes[node.label]}`), node.split && h("small", {}, ` ${node.split} node`)),
      h("div.bars", {}, about.classes.map((name, number) => [h("span", {}, name), meter(node.p[number], paint(number)), h("span.soft", {}, `${(node.p[number] * 100).toFixed(1)} %`)])),
      attended.length ? h("div", {}, h("h3", {}, "It attends to"), h("div.bars", {}, attended.map(([j, , weight]) => [h("span", {}, graph.nodes[j].name), meter(weight), h("span.soft", {}, weight.toFixed(2))]))) : null,
      h("p.soft", {}, `${neighbours.length} neighbours drawn; ${steps.filter((each) => each <= reach).length} nodes within ${reach} step${reach === 1 ? "" : "s"}`));
  }

  const far = h("output", {}, "1");
  view.append(h("div.columns", {},
    h("section.card", { "aria-label": "Graph" }, h("div.tools", {}, labelled("Node", wanted), names,
      labelled("Colour", select([["predicted", "predicted class"], ["class", "true class"]], colour, (value) => { colour = value; draw(); })),
      labelled(h("span", {}, "Steps that information goes ", far), h("input", { type: "range", min: 1, max: 6, step: 1, value: 1, oninput: (event) => { reach = Number(event.target.value); far.textContent = reach; draw(); } }))), drawing),
    h("section.card", { "aria-label": "Node", "aria-live": "polite" }, told)));
  open(about.begin);
}

