// Times beside counts, and where one architecture's count passes another's.
import { h } from "./dom.js";
import { chart, COLOURS } from "./chart.js";

/** The times of passes at growing sizes, beside the count scaled to meet them. */
export function measuredChart({ rows, exponents, theory }, symbol) {
  const names = [...new Set(rows.map((row) => row.series))];
  const curves = names.map((name) => ({
    name,
    colour: COLOURS[name.startsWith("forward") ? 0 : 1],
    dashed: name.endsWith("scaled"),
    points: rows.filter((row) => row.series === name).map((row) => [row.size, row.seconds]),
  }));
  const growth = Object.entries(exponents).map(
    ([which, power]) =>
      `${which}: measured ${symbol}^${power.toFixed(2)}, counted ${symbol}^${theory[which].toFixed(2)}`,
  );
  const drawn = chart(curves, { log: true, logX: true, x: symbol, y: "seconds of a pass" });
  return h("div", {}, drawn, h("p.soft", {}, growth.join("; ")));
}

/** Where one curve passes the other. */
export function crossing([a, b], over) {
  for (let at = 1; at < Math.min(a.points.length, b.points.length); at += 1) {
    const [before, after] = [a.points[at - 1][1] - b.points[at - 1][1], a.points[at][1] - b.points[at][1]];
    if (before * after < 0) {
      const [cheap, dear] = after < 0 ? [a, b] : [b, a];
      return h(
        "p",
        {},
        h("strong", {}, cheap.name),
        ` takes less than ${dear.name} from about ${over.length > 2 ? "" : `${over} = `}${Math.round(Math.sqrt(a.points[at - 1][0] * a.points[at][0])).toLocaleString("en")}${over.length > 2 ? ` ${over}` : ""} on.`,
      );
    }
  }
  return null;
}
