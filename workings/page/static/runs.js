// The Runs page: a table that moves, curves of what is chosen, settings side by side, start and stop.
import { h, meter, replace, notice, labelled, select, later, figure, clock } from "./dom.js";
import { ask } from "./api.js";
import { chart, sparkline, COLOURS } from "./chart.js";
import { newRun } from "./new_run.js";

const COLUMNS = [
  ["run", "Run", (row) => row.run.toLowerCase()],
  ["task", "Task", (row) => `${row.task} ${row.model}`],
  ["state", "State", (row) => row.state],
  ["valid", "Best", (row) => row.valid, "number"],
  ["test", "Test", (row) => row.test, "number wide"],
  ["epochs", "Epochs", (row) => row.epochs, "number wider"],
  ["seconds", "Time", (row) => row.seconds, "number wide"],
  ["made", "Made", (row) => row.made, "wider"],
];
const AT_FIRST = 100; // rows that are drawn; "more" draws the next
const TONES = { finished: "right", running: "open", starting: "open", failed: "wrong", damaged: "wrong", killed: "wrong", stopped: "" };

export async function show(main, wanted) {
  const rows = new Map();
  let starting = {};
  let [sorted, down, limit, grouped, text, task] = ["made", true, AT_FIRST, false, "", ""];
  const chosen = new Set(wanted ? wanted.split(",").map(decodeURIComponent) : []);
  const table = h("div.scroll");
  const count = h("p.soft");
  const panel = h("div");
  const tasks = h("div.inline");

  function visible() {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const column = COLUMNS.find(([key]) => key === sorted);
    const found = [...rows.values()].filter((row) => (!task || row.task === task) && words.every((word) => `${row.name} ${row.task} ${row.model} ${row.state}`.toLowerCase().includes(word)));
    const value = column[2];
    found.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === y) return a.name < b.name ? -1 : 1;
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      return (x < y ? -1 : 1) * (down ? -1 : 1);
    });
    if (grouped) found.sort((a, b) => (a.study < b.study ? -1 : a.study > b.study ? 1 : 0));
    return found;
  }

  function draw() {
    const focused = table.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") || document.activeElement.textContent : null;
    fill();
    if (focused) [...table.querySelectorAll("button, input")].find((each) => (each.getAttribute("aria-label") || each.textContent) === focused)?.focus();
  }

  function fill() {
    const found = visible();
    for (const name of Object.keys(starting)) if (!rows.has(name)) found.unshift({ name, run: name.slice(5), state: "starting", made: "", study: "" });
    if (!rows.size && !found.length) {
      replace(table, h("div.empty", {}, h("p", {}, "No runs yet."), h("p.soft", {}, "Start one with “New run…”; `make demo` makes one of every kind.")));
      replace(count);
      return;
    }
    const body = h("tbody");
    let study = null;
    for (const row of found.slice(0, limit)) {
      if (grouped && row.study !== study) {
        study = row.study;
        body.append(h("tr.group", {}, h("td", { colspan: COLUMNS.length + 2 }, study ? `study ${study.replace("/parts/", " · ")}` : "single runs")));
      }
      body.append(line(row));
    }
    replace(table, h("table", {}, h("caption.hidden", {}, "Runs"), h("thead", {}, h("tr", {}, h("th", {}, h("span.hidden", {}, "chosen")), COLUMNS.map(heading), h("th.wider", {}, "Course"))), body));
    replace(count, `${found.length.toLocaleString("en")} of ${rows.size.toLocaleString("en")} runs `, found.length > limit && h("button", { onclick: () => { limit += 400; draw(); } }, `Show ${Math.min(400, found.length - limit)} more`));
  }

  function heading([key, label, , kind]) {
    const here = sorted === key;
    return h(`th${kind ? `.${kind.replace(" ", ".")}` : ""}`, { "aria-sort": here ? (down ? "descending" : "ascending") : null },
      h("button", { onclick: () => { [sorted, down] = here ? [key, !down] : [key, key === "made"]; draw(); } }, label, here ? (down ? " ↓" : " ↑") : ""));
  }

  function line(row) {
    const choose = (event) => { event.target.checked ? chosen.add(row.name) : chosen.delete(row.name); chose(); };
    const alone = () => { chosen.clear(); chosen.add(row.name); chose(); };
    const progress = row.state === "running" && row.planned ? Math.min(1, (row.epochs || 0) / row.planned) : null;
    const left = progress > 0 && row.seconds ? clock((row.seconds / row.epochs) * (row.planned - row.epochs)) : null;
    const state = h("td", {}, h(`span.badge.${TONES[row.state]}`, { title: row.problem || null }, row.state),
      progress !== null && meter(progress, null, "progressbar"), left && h("small", {}, ` ≤ ${left} left`), starting[row.name] && h("small.logline", {}, starting[row.name]));
    return h(chosen.has(row.name) ? "tr.chosen" : "tr", {},
      h("td", {}, h("input", { type: "checkbox", checked: chosen.has(row.name), "aria-label": `choose ${row.run}`, onchange: choose })),
      h("td.run", {}, h("button.link", { onclick: alone }, row.run), row.study && h("small.under", {}, row.study.replace("/parts/", " · "))), h("td", {}, row.task, h("small.under", {}, row.model)), state,
      h("td.number", { title: row.metric || null }, row.valid === undefined || row.valid === null ? "–" : figure(row.valid), row.metric && h("small.under", {}, row.metric.replaceAll("_", " "))),
      h("td.number.wide", {}, figure(row.test)), h("td.number.wider", {}, row.epochs ?? "–"),
      h("td.number.wide", {}, clock(row.seconds)), h("td.wider", {}, age(row.made)), h("td.wider", {}, sparkline(row.spark)));
  }

  const show_panel = later(30, () => panelOf(panel, [...chosen].map((name) => rows.get(name)).filter(Boolean), refresh));
  function chose() {
    history.replaceState(null, "", chosen.size ? `#runs/${[...chosen].map(encodeURIComponent).join(",")}` : "#runs");
    draw();
    show_panel();
  }

  function take(answer) {
    for (const row of answer.rows) rows.set(row.name, row);
    for (const name of answer.gone) { rows.delete(name); chosen.delete(name); }
    starting = answer.starting;
    const known = [...new Set([...rows.values()].map((row) => row.task).filter(Boolean))].sort();
    if (tasks.dataset.known !== known.join()) {
      tasks.dataset.known = known.join();
      replace(tasks, labelled("Task", select([["", "all"], ...known], task, (value) => { task = value; draw(); })));
    }
    draw();
    if (answer.rows.some((row) => chosen.has(row.name))) show_panel();
  }
  const refresh = () => ask("api/runs").then(take);

  main.append(
    h("div.head.row", {}, h("h1.grow", {}, "Runs"), h("button.primary", { onclick: () => newRun((name) => { chosen.clear(); chosen.add(name); refresh(); }) }, "New run…")),
    h("div.tools", {}, labelled("Filter", h("input", { type: "search", placeholder: "name, model, state…", oninput: (event) => { text = event.target.value; limit = AT_FIRST; draw(); } })), tasks,
      h("label.check", {}, h("input", { type: "checkbox", onchange: (event) => { grouped = event.target.checked; draw(); } }), " by study"), count),
    h("div.runs", {}, table, panel));
  const first = await ask("api/runs");
  take(first);
  if (!chosen.size && rows.size) chosen.add(visible()[0].name);
  draw();
  show_panel();
  const events = new EventSource(`api/events?version=${first.version}`);
  let lost = false;
  events.onmessage = (event) => take(JSON.parse(event.data));
  events.onopen = () => { if (lost) { lost = false; notice("The server is there again."); refresh(); } };
  events.onerror = () => {
    if (!lost) notice(events.readyState === EventSource.CLOSED ? "This link is of an earlier server: open the one that `workings page` printed last." : "The server does not answer; trying again. Trainings go on without it.", true);
    lost = true;
  };
  return () => events.close();
}

function age(made) {
  if (!made) return "–";
  const minutes = Math.max(0, (Date.now() - new Date(made.replace(" ", "T"))) / 60000);
  if (minutes < 1) return "now";
  if (minutes < 90) return `${Math.round(minutes)} min ago`;
  if (minutes < 60 * 36) return `${Math.round(minutes / 60)} h ago`;
  return made.slice(0, 10);
}

const kept = { metric: "", x: "epoch", log: false, smooth: 0, splits: "valid" };

/** Curves, settings, figures and samples of the chosen runs. */
async function panelOf(panel, chosen, refresh) {
  if (!chosen.length) return replace(panel);
  if (panel.dataset.runs === chosen.map((row) => row.name).join() && panel.contains(document.activeElement) && document.activeElement.matches("select, input")) return null; // in use
  panel.dataset.runs = chosen.map((row) => row.name).join();
  const number = (panel.number = (panel.number || 0) + 1);
  let [curves, details] = [{}, []];
  try {
    [curves, details] = await Promise.all([ask("api/curves", { runs: chosen.map((row) => row.name) }), Promise.all(chosen.slice(0, 8).map((row) => ask("api/run", { run: row.name })))]);
  } catch (error) {
    return replace(panel, h("p.wrong", {}, error.message));
  }
  if (number !== panel.number) return null;
  const open = new Set([...panel.querySelectorAll("details[open]")].map((each) => each.dataset.key));
  replace(panel, actions(chosen, refresh), drawing(chosen, curves), figures(chosen, details), samples(chosen, details), settings(chosen, details), logs(chosen, details));
  for (const each of panel.querySelectorAll("details")) if (open.has(each.dataset.key)) each.open = true;
  return null;
}

function actions(chosen, refresh) {
  const act = (path, row, said) => ask(path, { run: row.name }).then(() => { notice(said); refresh(); }, (error) => notice(error.message, true));
  if (chosen.length > 1) return h("h2", {}, `${chosen.length} runs`);
  const [row] = chosen;
  const own = row.name.startsWith("runs/");
  return h("div.row.title", {}, h("h2.grow", {}, row.run),
    row.state === "running" && own && h("button.danger", { onclick: () => act("api/stop", row, "It stops after its step, with a checkpoint.") }, "Stop"),
    ["stopped", "failed", "killed"].includes(row.state) && h("button.primary", { onclick: () => act("api/resume", row, "It goes on from its last checkpoint.") }, "Resume"),
    row.epochs > 0 && h("a.button", { href: `#try/${encodeURIComponent(row.name)}` }, "Try it"),
    row.problem && h("p.wrong", {}, row.problem));
}

function drawing(chosen, curves) {
  const names = new Set();
  for (const found of Object.values(curves)) for (const split of Object.values(found.splits)) for (const name of Object.keys(split)) if (!["step", "epoch", "seconds"].includes(name) && !name.endsWith("_per_second")) names.add(name);
  const metrics = [...names];
  const metric = metrics.includes(kept.metric) ? kept.metric : metrics.includes(chosen[0].metric) ? chosen[0].metric : metrics[0] || "loss";
  const place = h("div");
  const draw = () => {
    const list = [];
    chosen.forEach((row, at) => {
      const found = curves[row.name];
      const colour = COLOURS[at % COLOURS.length];
      const name = chosen.length > 1 ? row.run : "";
      const wanted = kept.splits === "both" ? ["train", "valid"] : [kept.splits];
      if (kept.x === "step" && found.steps && chosen_metric.value === "loss" && kept.splits !== "valid") {
        list.push({ name: `${name} train`.trim(), colour, dashed: true, points: found.steps.step.map((x, i) => [x, found.steps.loss[i]]) });
        wanted.splice(wanted.indexOf("train"), 1);
      }
      for (const split of wanted) {
        const series = found.splits[split];
        if (!series || !series[chosen_metric.value]) continue;
        const across = series[kept.x === "time" ? "seconds" : kept.x] || series.epoch;
        list.push({ name: chosen.length > 1 ? (kept.splits === "both" ? `${name} ${split}` : name) : split, colour: chosen.length > 1 ? colour : COLOURS[split === "train" ? 1 : 0], dashed: split === "train" && chosen.length > 1, points: across.map((x, i) => [x, series[chosen_metric.value][i]]) });
      }
    });
    replace(place, chart(list, { log: kept.log, smooth: kept.smooth, x: kept.x === "time" ? "seconds" : kept.x, y: chosen_metric.value }));
  };
  const chosen_metric = select(metrics.length ? metrics : [metric], metric, (value) => { kept.metric = value; draw(); });
  if (chosen.length === 1 && kept.splits === "valid") kept.splits = "both";
  const controls = h("div.tools", {},
    labelled("Metric", chosen_metric),
    labelled("Of", select([["valid", "validation"], ["train", "training"], "both"], kept.splits, (value) => { kept.splits = value; draw(); })),
    labelled("By", select(["epoch", "step", "time"], kept.x, (value) => { kept.x = value; draw(); })),
    labelled("Smoothing", h("input", { type: "range", min: 0, max: 0.98, step: 0.02, value: kept.smooth, oninput: (event) => { kept.smooth = Number(event.target.value); draw(); } })),
    h("label.check", {}, h("input", { type: "checkbox", checked: kept.log, onchange: (event) => { kept.log = event.target.checked; draw(); } }), " log scale"));
  draw();
  return h("section.card", { "aria-label": "Curves" }, controls, place);
}

function figures(chosen, details) {
  const columns = details.map((each) => each.result?.metrics || {});
  const names = [...new Set(columns.flatMap((each) => Object.keys(each)))].filter((name) => name.startsWith("test.") || name.startsWith("valid."));
  if (!names.length) return null;
  const rows = names.map((name) => [name, ...columns.map((each) => figure(each[name]))]);
  rows.push(["parameters", ...details.map((each) => each.result?.parameters?.toLocaleString("en") ?? "–")]);
  rows.push(["best epoch", ...details.map((each) => (each.result ? `${each.result.best_epoch} of ${each.result.epochs}` : "–"))]);
  const baselines = details.length === 1 ? Object.entries(details[0].result?.baselines || {}) : [];
  const heads = ["", ...(details.length > 1 ? chosen.slice(0, 8).map((row) => row.run) : ["this run"]), ...baselines.map(([name]) => name)];
  for (const row of rows) row.push(...baselines.map(([, found]) => figure(found[row[0]] ?? null)));
  const questions = details.flatMap((each) => each.result?.questions || []);
  return folded("figures", "Figures", true, questions.map((line) => h("p.open", {}, line)), sheet(heads, rows));
}

function samples(chosen, details) {
  const parts = details.map((each, at) => [chosen[at], Object.entries(each.result?.details || {})]).filter(([, found]) => found.length);
  if (!parts.length) return null;
  return folded("samples", "Samples and tables", false, h("div.side", {}, parts.map(([row, found]) => h("div", {}, parts.length > 1 && h("h3", {}, row.run), found.map(([title, value]) => [h("h3", {}, title.replaceAll("_", " ")), shown(value)])))));
}

function shown(value) {
  if (Array.isArray(value) && value.length && value.every((row) => row && typeof row === "object" && !Array.isArray(row))) {
    const heads = Object.keys(value[0]);
    return sheet(heads, value.slice(0, 12).map((row) => heads.map((head) => (typeof row[head] === "number" ? figure(row[head]) : String(row[head] ?? "")))));
  }
  if (Array.isArray(value)) return h("pre", {}, value.slice(0, 20).map((line) => (Array.isArray(line) ? line.join(" ") : String(line))).join("\n"));
  return h("pre", {}, typeof value === "object" ? JSON.stringify(value, null, 1).slice(0, 2000) : String(value));
}

function settings(chosen, details) {
  const keys = [...new Set(details.flatMap((each) => Object.keys(each.settings)))];
  const written = (value) => (value === undefined ? "" : Array.isArray(value) ? value.join(", ") : String(value));
  const differs = (key) => new Set(details.map((each) => written(each.settings[key]))).size > 1;
  const order = [...keys.filter(differs), ...keys.filter((key) => !differs(key))];
  const body = order.map((key) => h(differs(key) ? "tr.differs" : "tr", {}, h("td", {}, h("code", {}, key)), details.map((each) => h("td.text", {}, written(each.settings[key])))));
  const heads = details.length > 1 ? h("thead", {}, h("tr", {}, h("th", {}, "differences first"), chosen.slice(0, 8).map((row) => h("th", {}, row.run)))) : null;
  return folded("settings", "Settings", details.length > 1, h("div.scroll", {}, h("table", {}, heads, h("tbody", {}, body))));
}

function logs(chosen, details) {
  const found = details.map((each, at) => [chosen[at].run, each.log]).filter(([, log]) => log);
  return found.length ? folded("log", "Log", details.length === 1 && details[0].state !== "finished", found.map(([name, log]) => [found.length > 1 && h("h3", {}, name), h("pre.log", {}, log)])) : null;
}

function folded(key, title, open, ...children) {
  const made = h("details.card", { open }, h("summary", {}, title), ...children);
  made.dataset.key = key;
  return made;
}

/** A plain table. */
export function sheet(heads, rows) {
  const numeric = (at) => rows.every((row) => /^[–\d.,e+\-% ]*$/.test(String(row[at] ?? "")));
  const kinds = heads.map((_, at) => (at && numeric(at) ? "number" : "text"));
  return h("div.scroll", {}, h("table", {}, h("thead", {}, h("tr", {}, heads.map((head, at) => h(`th.${kinds[at]}`, {}, head)))), h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, at) => h(`td.${kinds[at]}`, {}, cell)))))));
}
