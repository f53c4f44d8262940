// The curves of the chosen runs in one chart: any metric, by epoch, step or time, smoothed, on a log scale.
import { h, labelled, replace, select } from "./dom.js";
import { chart, COLOURS } from "./chart.js";
import { inWords } from "./run_names.js";

const ACROSS = { epoch: "epoch", step: "step", time: "seconds" };
const NO_METRICS = ["step", "epoch", "seconds"];

/** A card with its controls; `update(rows, curves)` draws other curves, or longer ones. */
export function curvesCard() {
  const chosen = { metric: "", x: "epoch", splits: "valid", log: false, smooth: 0 };
  let [rows, curves, names] = [[], {}, ""];
  let [touched, wasShort] = [false, false]; // whether somebody has chosen; whether there was one epoch
  let wanted = ""; // the metric that somebody has chosen
  const drawing = h("div");
  const metric = h("div.inline");
  const choose = (key) => (value) => {
    chosen[key] = value;
    touched = true;
    if (key === "metric") wanted = value;
    draw();
  };
  const of = [["valid", "validation"], ["train", "training"], "both"];
  const splits = select(of, chosen.splits, choose("splits"));
  const across = select(Object.keys(ACROSS), chosen.x, choose("x"));
  const smoothing = h("input", {
    type: "range",
    min: 0,
    max: 0.98,
    step: 0.02,
    value: 0,
    oninput: (event) => choose("smooth")(Number(event.target.value)),
  });
  const log = h("input", { type: "checkbox", onchange: (event) => choose("log")(event.target.checked) });

  function update(nowChosen, nowCurves) {
    const others = nowChosen.map((row) => row.name).join("\n");
    [rows, curves] = [nowChosen, nowCurves];
    if (!rows.length) return;
    if (others !== names) touched = false;
    if (others !== names || !touched) begin(others !== names);
    names = others;
    offer();
    draw();
  }

  /** What is drawn of runs of which nobody has chosen it: their metric; of one epoch the loss by step. */
  function begin(areOthers) {
    const short = rows.every((row) => epochsOf(curves[row.name]) < 2 && curves[row.name].steps);
    const metrics = metricsOfAll();
    const own = metrics.includes(rows[0].metric) ? rows[0].metric : metrics[0] || "loss";
    if (short) Object.assign(chosen, { metric: "loss", x: "step", splits: "both" });
    else if (wasShort) chosen.x = "epoch";
    if (!short) chosen.metric = metrics.includes(wanted) ? wanted : own;
    if (areOthers && !short) chosen.splits = rows.length === 1 ? "both" : "valid";
    wasShort = short;
    splits.value = chosen.splits;
    across.value = chosen.x;
  }

  function metricsOfAll() {
    return [...new Set(rows.flatMap((row) => metricsOf(curves[row.name])))];
  }

  /** The metrics to choose from; a run that begins has none yet. */
  function offer() {
    const metrics = metricsOfAll();
    const names = metrics.includes(chosen.metric) ? metrics : [chosen.metric, ...metrics];
    if (metric.dataset.names !== names.join()) {
      metric.dataset.names = names.join();
      const named = names.map((name) => [name, inWords(name)]);
      replace(metric, labelled("Metric", select(named, chosen.metric, choose("metric"))));
    }
    metric.querySelector("select").value = chosen.metric;
  }

  function draw() {
    const lines = rows.flatMap((row, at) => linesOf(row, curves[row.name], COLOURS[at % COLOURS.length]));
    const options = { log: chosen.log, smooth: chosen.smooth, x: ACROSS[chosen.x], y: inWords(chosen.metric) };
    replace(drawing, chart(lines, { ...options, wholeX: chosen.x !== "time" }));
  }

  function linesOf(row, found, colour) {
    const several = rows.length > 1;
    const wanted = chosen.splits === "both" ? ["train", "valid"] : [chosen.splits];
    return wanted.flatMap((split) => {
      const series = seriesOf(found, split);
      if (!series?.[chosen.metric]) return [];
      const xs = series[ACROSS[chosen.x]] || series.epoch;
      const name = several ? `${row.label}${chosen.splits === "both" ? ` ${split}` : ""}` : split;
      return {
        name,
        colour: several ? colour : COLOURS[split === "train" ? 1 : 0],
        dashed: several && split === "train",
        points: xs.map((x, i) => [x, series[chosen.metric][i]]),
      };
    });
  }

  /** The training loss is known by step, all else by epoch. */
  function seriesOf(found, split) {
    const bySteps = chosen.x === "step" && split === "train" && chosen.metric === "loss";
    return bySteps && found.steps ? found.steps : found.splits[split];
  }

  const element = h(
    "section.card",
    { "aria-label": "Curves" },
    h(
      "div.tools",
      {},
      metric,
      labelled("Of", splits),
      labelled("By", across),
      labelled("Smoothing", smoothing),
      h("label.check", {}, log, " log scale"),
    ),
    drawing,
  );
  return { element, update };
}

function metricsOf(found) {
  const names = Object.values(found.splits).flatMap(Object.keys);
  return names.filter((name) => !NO_METRICS.includes(name) && !name.endsWith("_per_second"));
}

function epochsOf(found) {
  return found.splits.valid?.epoch?.length || 0;
}
