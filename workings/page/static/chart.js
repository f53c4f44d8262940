// Line charts as SVG: several curves, a linear or logarithmic scale, smoothing, values under the pointer.
import { h, s, figure } from "./dom.js";

export const COLOURS = [
  "#2f6fde",
  "#e07b1a",
  "#1b9e77",
  "#c2379b",
  "#7a5af5",
  "#d33c3c",
  "#0f9ab5",
  "#8a7a00",
  "#5b6675",
  "#a05a2c",
];
/** The page's colour for a share from 0 to 1, as a function: light on dark, dark on light. */
export function shader() {
  const accent = getComputedStyle(document.documentElement).getPropertyValue("--accent");
  return (share) => `color-mix(in srgb, ${accent} ${(100 * share).toFixed(1)}%, transparent)`;
}

const LARGEST = 1e300; // that is drawn
const HEIGHT = 300,
  LEFT = 58,
  RIGHT = 14,
  TOP = 10,
  BOTTOM = 40;

/** curves: [{ name, colour, dashed, points: [[x, y], …] }]; options: log, logX, x and y labels, smooth from 0 to 0.99. */
export function chart(curves, options = {}) {
  const drawn = curves
    .map((curve) => ({ ...curve, points: smoothed(usable(curve.points, options), options.smooth || 0) }))
    .filter((curve) => curve.points.length);
  if (!drawn.length) return h("p.soft", {}, "Nothing to draw yet.");
  // About as wide as it will be shown, so that its letters have the size of the page's.
  const WIDTH = options.width || (innerWidth > 1000 ? Math.min(innerWidth, 1360) * 0.41 : innerWidth - 64);
  const all = drawn.flatMap((curve) => curve.points);
  const across = scale(extent(all, 0), LEFT, WIDTH - RIGHT, options.logX, options.wholeX);
  const up = scale(padded(extent(all, 1), options.log), HEIGHT - BOTTOM, TOP, options.log);
  const pointer = s("line", { class: "pointer", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
  const svg = s(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": `${options.y || "value"} by ${options.x || "step"}: ${inWords(drawn)}`,
    },
    up.ticks.map((tick) => [
      s("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: up(tick), y2: up(tick) }),
      s("text", { x: LEFT - 6, y: up(tick) + 4, "text-anchor": "end" }, short(tick)),
    ]),
    across.ticks.map((tick) =>
      s("text", { x: across(tick), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, short(tick)),
    ),
    s("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, options.x || ""),
    s(
      "text",
      {
        x: 12,
        y: (TOP + HEIGHT - BOTTOM) / 2,
        "text-anchor": "middle",
        transform: `rotate(-90 12 ${(TOP + HEIGHT - BOTTOM) / 2})`,
      },
      options.y || "",
    ),
    drawn.map((curve) =>
      curve.points.length === 1
        ? s("circle", {
            cx: across(curve.points[0][0]),
            cy: up(curve.points[0][1]),
            r: 3.5,
            fill: curve.colour,
          })
        : s("path", {
            class: "curve",
            stroke: curve.colour,
            "stroke-dasharray": curve.dashed ? "5 4" : null,
            d: `M${curve.points.map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`).join("L")}`,
          }),
    ),
    pointer,
  );
  const legend = h(
    "ul.legend",
    {},
    drawn.slice(0, 24).map((curve) => {
      const value = h("span.soft", {}, figure(last(curve)));
      const swatch = h("i");
      swatch.style.background = curve.colour;
      curve.label = value;
      return h("li", {}, swatch, curve.name, " ", value);
    }),
    drawn.length > 24 && h("li.soft", {}, `and ${drawn.length - 24} more`),
  );
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * WIDTH;
    pointer.setAttribute("visibility", "visible");
    pointer.setAttribute("x1", at);
    pointer.setAttribute("x2", at);
    for (const curve of drawn)
      if (curve.label) {
        const nearest = curve.points.reduce((best, point) =>
          Math.abs(across(point[0]) - at) < Math.abs(across(best[0]) - at) ? point : best,
        );
        curve.label.textContent = `${figure(nearest[1])} at ${short(nearest[0])}`;
      }
  });
  svg.addEventListener("pointerleave", () => {
    pointer.setAttribute("visibility", "hidden");
    for (const curve of drawn) if (curve.label) curve.label.textContent = figure(last(curve));
  });
  return h("figure", {}, svg, legend);
}

function last(curve) {
  return curve.points[curve.points.length - 1][1];
}

/** Where each curve ends, for whoever does not see it. */
function inWords(curves) {
  const ends = curves.slice(0, 8).map((curve) => `${curve.name} ends at ${figure(last(curve))}`);
  return `${curves.length} curve${curves.length === 1 ? "" : "s"}; ${ends.join(", ")}`;
}

/** A few points as a small line, for a table. */
export function sparkline(all, colour = "currentColor") {
  const values = (all || []).filter(isDrawn);
  if (values.length < 2) return h("span.soft", {}, "");
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const points = values.map(
    (value, at) =>
      `${((at / (values.length - 1)) * 68 + 1).toFixed(1)},${(19 - ((value - low) / (high - low || 1)) * 17).toFixed(1)}`,
  );
  return s(
    "svg",
    { class: "spark", viewBox: "0 0 70 20", width: 70, height: 20, "aria-hidden": "true" },
    s("polyline", { points: points.join(" "), fill: "none", stroke: colour, "stroke-width": 1.6 }),
  );
}

function usable(points, options) {
  return points.filter(
    ([x, y]) => isDrawn(x) && isDrawn(y) && (!options.log || y > 0) && (!options.logX || x > 0),
  );
}

/** A number with which one can compute: the difference of two is one, too. */
function isDrawn(value) {
  return typeof value === "number" && Math.abs(value) < LARGEST;
}

function smoothed(points, weight) {
  let mean = 0,
    share = 0;
  return weight
    ? points.map(([x, y]) => {
        mean = weight * mean + (1 - weight) * y;
        share = weight * share + (1 - weight);
        return [x, mean / share];
      })
    : points;
}

function extent(points, which) {
  let low = Infinity,
    high = -Infinity;
  for (const point of points) {
    low = Math.min(low, point[which]);
    high = Math.max(high, point[which]);
  }
  return [low, high];
}

function padded([low, high], log) {
  if (low === high) return log ? [low / 1.1, high * 1.1] : [low - 0.5, high + 0.5];
  return log ? [low / 1.03, high * 1.03] : [low - (high - low) * 0.04, high + (high - low) * 0.04];
}

function scale([low, high], from, to, log, whole) {
  if (low === high) high = low + 1;
  const of = log ? Math.log10 : (value) => value;
  const place = (value) => from + ((of(value) - of(low)) / (of(high) - of(low))) * (to - from);
  place.ticks = log ? logTicks(low, high) : ticks(low, high, whole);
  return place;
}

function ticks(low, high, whole = false) {
  const raw = Math.max((high - low) / 5, whole ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
  const found = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + step * 1e-9; tick += step)
    found.push(Number(tick.toPrecision(12)));
  return found;
}

function logTicks(low, high) {
  if (high / low < 12) return ticks(low, high).filter((tick) => tick > 0);
  const found = [];
  for (let power = Math.ceil(Math.log10(low)); power <= Math.log10(high); power += 1) found.push(10 ** power);
  const every = Math.ceil(found.length / 7);
  return found.filter((_, at) => at % every === 0);
}

function short(value) {
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(0).replace("e+", "e");
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(4)));
}
