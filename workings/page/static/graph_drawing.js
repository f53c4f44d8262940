// A graph as SVG: drawn once, then only repainted, so that a thousand nodes stay smooth.
import { h, s, replace } from "./dom.js";

const [WIDTH, HEIGHT, EDGE] = [640, 460, 14];
const MOST_BY_TAB = 60; // nodes that are reached one by one with the keyboard

/**
 * nodes: [{ name, x, y }], edges: [[from, to, …]]; picked(number) is called for a node that is chosen.
 * `paint(node, edge)` gives each its attributes again: node(each, number) and edge(each) return them.
 */
export function graphDrawing(nodes, edges, picked) {
  const place = placed(nodes);
  const lines = edges.map(([j, i]) => {
    const [[x1, y1], [x2, y2]] = [place[j], place[i]];
    return s("line", { x1, y1, x2, y2 });
  });
  const radius = nodes.length > 600 ? 3 : nodes.length > 120 ? 4.5 : nodes.length > 50 ? 6.5 : 9;
  const circles = nodes.map((node, number) => {
    const [cx, cy] = place[number];
    const tabindex = nodes.length <= MOST_BY_TAB ? 0 : -1;
    const title = s("title", {}, node.name);
    const made = s(
      "circle",
      { cx, cy, r: radius, tabindex, role: "button", "aria-label": `node ${node.name}` },
      title,
    );
    made.addEventListener("click", () => picked(number));
    made.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      picked(number);
    });
    return made;
  });
  const box = `0 0 ${WIDTH} ${HEIGHT}`;
  const element = s(
    "svg",
    {
      class: nodes.length > 120 ? "graph dense" : "graph",
      viewBox: box,
      role: "group",
      "aria-label": "The graph",
    },
    lines,
    circles,
  );

  function paint(node, edge) {
    edges.forEach((each, number) => give(lines[number], edge(each)));
    nodes.forEach((each, number) => {
      const { title, larger, ...attributes } = node(each, number);
      give(circles[number], { ...attributes, r: larger ? radius * 1.5 : radius });
      if (title) circles[number].firstChild.textContent = title;
    });
  }
  return { element, paint };
}

/** The steps from one node to each other along the edges, either way. */
export function stepsFrom(start, nodes, edges) {
  const near = nodes.map(() => []);
  for (const [j, i] of edges) {
    near[i].push(j);
    near[j].push(i);
  }
  const steps = nodes.map(() => Infinity);
  steps[start] = 0;
  const waiting = [start];
  for (const node of waiting) {
    for (const other of near[node]) {
      if (steps[other] < Infinity) continue;
      steps[other] = steps[node] + 1;
      waiting.push(other);
    }
  }
  return steps;
}

/** The colours of a drawing in words. */
export function legend(entries, note = "") {
  const items = entries.map(([name, colour]) => {
    const swatch = h("i");
    swatch.style.background = colour;
    return h("li", {}, swatch, name);
  });
  return replace(h("ul.legend"), items, note && h("li.soft", {}, note));
}

function placed(nodes) {
  const across = stretched(
    nodes.map((node) => node.x),
    WIDTH,
  );
  const down = stretched(
    nodes.map((node) => node.y),
    HEIGHT,
  );
  return nodes.map((_, number) => [across[number], down[number]]);
}

function stretched(values, size) {
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  return values.map((value) => EDGE + ((value - low) / (high - low || 1)) * (size - 2 * EDGE));
}

function give(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}
