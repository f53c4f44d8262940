// The Runs page: a table of all runs that moves, and beside it a panel about those that are chosen.
import { h, meter, replace, labelled, select, later, figure, clock, notice } from "./dom.js";
import { ask } from "./api.js";
import { sparkline } from "./chart.js";
import { follow } from "./events.js";
import { newRun } from "./new_run.js";
import { inWords, label } from "./run_names.js";
import { runPanel } from "./run_panel.js";

const COLUMNS = [
  // key, heading, what it is sorted by, classes
  ["run", "Run", (row) => row.label.toLowerCase(), ""],
  ["task", "Task", (row) => `${row.task} ${row.model}`, ".wide"],
  ["state", "State", (row) => row.state, ""],
  ["valid", "Best", (row) => row.valid, ".number"],
  ["test", "Test", (row) => row.test, ".number.widest"],
  ["epochs", "Epochs", (row) => row.epochs, ".number.wide"],
  ["seconds", "Time", (row) => row.seconds, ".number.wide"],
  ["made", "Age", (row) => row.made, ".wide"],
  ["spark", "Course", null, ".wide"],
];
const AT_FIRST = 100; // rows that are drawn; "more" draws the next
const MOST_CHOSEN = 200; // that the server draws at once
const ENDED = ["stopped", "failed", "killed"];
const TONES = {
  finished: ".right",
  running: ".open",
  starting: ".open",
  failed: ".wrong",
  damaged: ".wrong",
  killed: ".wrong",
};

export async function show(main, wanted) {
  const rows = new Map();
  const chosen = new Set(wanted ? wanted.split(",").map(decodeURIComponent) : []);
  const view = { sorted: "made", down: true, limit: AT_FIRST, grouped: false, text: "", task: "" };
  let starting = {}; // trainings that the page has started: the last line of each, and whether it was refused
  const table = h("div.scroll");
  const count = h("p.soft", { role: "status" });
  const tasks = h("div.inline");
  const panel = runPanel(() => refresh());
  const showPanel = later(30, () => {
    const known = [...chosen].map((name) => rows.get(name)).filter(Boolean);
    const awaited = [...chosen].find((name) => starting[name]);
    if (!known.length && awaited) panel.wait(awaited.slice("runs/".length), starting[awaited]);
    else if (rows.size) panel.show(known);
  });

  function visible() {
    const words = view.text.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (row) => `${row.name} ${row.task} ${row.model} ${row.state}`.toLowerCase();
    const fits = (row) =>
      (!view.task || row.task === view.task) && words.every((word) => text(row).includes(word));
    const value = COLUMNS.find(([key]) => key === view.sorted)[2];
    const found = [...rows.values()]
      .filter(fits)
      .sort((a, b) => compared(value(a), value(b), view.down) || compared(a.name, b.name));
    for (const [name, { refused }] of Object.entries(starting)) {
      const run = name.slice("runs/".length);
      const state = refused ? "failed" : "starting";
      if (!rows.has(name)) found.unshift({ name, run, label: run, state, study: "" });
    }
    return view.grouped ? found.sort((a, b) => compared(a.study, b.study)) : found;
  }

  /** Draw the table again; whoever works in it by keyboard stays where they are. */
  function draw() {
    const label = (each) => each.getAttribute("aria-label") || each.textContent;
    const focused = table.contains(document.activeElement) ? label(document.activeElement) : null;
    const found = visible();
    if (found.length || rows.size) fill(found);
    else nothing();
    if (focused)
      [...table.querySelectorAll("button, input")].find((each) => label(each) === focused)?.focus();
  }

  function nothing() {
    const how = "Start one with “New run…”; `make demo` makes one of every kind.";
    replace(table, h("div.empty", {}, h("p", {}, "No runs yet."), h("p.soft", {}, how)));
    replace(count);
  }

  function fill(found) {
    const body = h("tbody");
    let study = null;
    for (const row of found.slice(0, view.limit)) {
      if (view.grouped && row.study !== study) {
        study = row.study;
        const runs = found.filter((each) => each.study === study).length;
        const name = study ? `study ${studyName(study)}` : "single runs";
        body.append(h("tr.group", {}, h("td", { colspan: COLUMNS.length + 1 }, `${name}: ${runs}`)));
      }
      body.append(line(row));
    }
    const shown = found.slice(0, Math.min(view.limit, MOST_CHOSEN)).map((row) => row.name);
    const all = h("input", {
      type: "checkbox",
      "aria-label": `choose the ${shown.length} first`,
      title: `choose the ${shown.length} first`,
      checked: shown.length > 0 && shown.every((name) => chosen.has(name)),
      onchange: (event) => choose(event.target.checked ? shown : []),
    });
    const heads = h("thead", {}, h("tr", {}, h("th", {}, all), COLUMNS.map(heading)));
    replace(table, h("table", {}, h("caption.hidden", {}, "Runs"), heads, body));
    const more = Math.min(400, found.length - view.limit);
    const total = rows.size + Object.keys(starting).filter((name) => !rows.has(name)).length;
    replace(
      count,
      `${found.length.toLocaleString("en")} of ${total.toLocaleString("en")} runs `,
      more > 0 && h("button", { onclick: () => change({ limit: view.limit + 400 }) }, `Show ${more} more`),
    );
  }

  function heading([key, name, value, classes]) {
    if (!value) return h(`th${classes}`, {}, name);
    const here = view.sorted === key;
    const sort = () => change({ sorted: key, down: here ? !view.down : key === "made" });
    const arrow = here ? (view.down ? " ↓" : " ↑") : "";
    const order = here ? (view.down ? "descending" : "ascending") : null;
    return h(`th${classes}`, { "aria-sort": order }, h("button", { onclick: sort }, name, arrow));
  }

  function line(row) {
    const box = h("input", {
      type: "checkbox",
      checked: chosen.has(row.name),
      "aria-label": `choose ${row.run}`,
      onchange: (event) =>
        choose(
          event.target.checked ? [...chosen, row.name] : [...chosen].filter((name) => name !== row.name),
        ),
    });
    const kind = row.task && `${row.task} ${row.model || ""}`;
    return h(
      chosen.has(row.name) ? "tr.chosen" : "tr",
      {},
      h("td", {}, box),
      h(
        "td.run",
        {},
        h("button.link", { title: row.run, onclick: () => choose([row.name]) }, row.label),
        row.study && h("small.under", { title: studyName(row.study) }, row.study.split("/").pop()),
        kind && h("small.under.narrow", {}, kind),
      ),
      h("td.wide", {}, row.task, h("small.under", {}, row.model)),
      h("td.state", {}, state(row)),
      h(
        "td.number",
        {},
        figure(row.valid),
        row.metric && h("small.under", {}, inWords(row.metric)),
      ),
      h("td.number.widest", {}, figure(row.test)),
      h("td.number.wide", {}, row.epochs ?? "–"),
      h("td.number.wide", {}, clock(row.seconds)),
      h(
        "td.wide.age",
        { title: row.made ? new Date(row.made * 1000).toLocaleString() : null },
        age(row.made),
      ),
      h("td.wide", {}, sparkline(row.spark)),
    );
  }

  /** The state; of a run that trains how far it is, its loss and the time left. */
  function state(row) {
    const said = starting[row.name];
    const begins = said && !said.refused && ENDED.includes(row.state) && !said.says.startsWith("stopped");
    const now = begins ? "starting" : row.state;
    const badge = h(`span.badge${TONES[now] || ""}`, { title: row.problem || null }, now);
    if (row.state === "finished") return badge;
    const printed =
      said &&
      (said.refused
        ? h("small.under.wrong", { title: said.says }, said.says)
        : h("small.logline", { title: said.says }, said.says));
    if (row.state !== "running") return [badge, printed];
    const { share, loss } = row;
    const seconds = row.seconds ?? Date.now() / 1000 - row.made; // of its first epoch since it was made
    const left =
      share === 1 ? "evaluating" : share && seconds ? `≤ ${clock((seconds / share) * (1 - share))} left` : "";
    return [
      badge,
      typeof share === "number" && meter(share, null, "progressbar", `progress of ${row.run}`),
      typeof loss === "number" && h("small.under", {}, `loss ${figure(loss)}`),
      left && h("small.under", {}, left),
      printed,
    ];
  }

  function change(values) {
    Object.assign(view, values);
    draw();
  }

  function choose(names) {
    chosen.clear();
    for (const name of names.slice(0, MOST_CHOSEN)) chosen.add(name);
    history.replaceState(
      null,
      "",
      names.length ? `#runs/${[...chosen].map(encodeURIComponent).join(",")}` : "#runs",
    );
    draw();
    showPanel();
  }

  function take(changes) {
    if (changes.whole) rows.clear();
    for (const row of changes.rows) rows.set(row.name, row);
    for (const name of changes.gone) {
      if (chosen.delete(name)) notice(`${rows.get(name)?.label} is not shown any more: its folder is gone.`);
      rows.delete(name);
    }
    if (changes.rows.length) label([...rows.values()]);
    starting = changes.starting;
    const known = [...new Set([...rows.values()].map((row) => row.task).filter(Boolean))].sort();
    if (tasks.dataset.known !== known.join()) {
      tasks.dataset.known = known.join();
      const control = select([["", "all"], ...known], view.task, (task) => change({ task, limit: AT_FIRST }));
      replace(tasks, labelled("Task", control));
    }
    draw();
    const isShown = (row) => chosen.has(row.name);
    if (changes.gone.length || changes.rows.some(isShown) || [...chosen].some((name) => starting[name]))
      showPanel();
  }
  const refresh = () => ask("api/runs").then(take);
  const started = (name) => {
    choose([name]);
    refresh();
  };

  const filter = h("input", {
    type: "search",
    placeholder: "name, model, state…",
    oninput: (event) => change({ text: event.target.value, limit: AT_FIRST }),
  });
  const byStudy = h("input", {
    type: "checkbox",
    onchange: (event) => change({ grouped: event.target.checked }),
  });
  main.append(
    h(
      "div.head.row",
      {},
      h("h1.grow", {}, "Runs"),
      h("button.primary", { onclick: () => newRun(started) }, "New run…"),
    ),
    h("div.tools", {}, labelled("Filter", filter), tasks, h("label.check", {}, byStudy, " by study"), count),
    h("div.runs", {}, table, panel.element),
  );
  const first = await ask("api/runs");
  take(first);
  if (!chosen.size && rows.size) chosen.add(visible()[0].name);
  draw();
  showPanel();
  return follow(first.version, take);
}

/** Which comes first, of two values; what is not known comes last. */
function compared(a, b, down = false) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return (a < b ? -1 : 1) * (down ? -1 : 1);
}

function studyName(study) {
  return study.replace("/parts/", " · ");
}

function age(made) {
  if (!made) return "–";
  const minutes = Math.max(0, (Date.now() / 1000 - made) / 60);
  if (minutes < 1) return "now";
  if (minutes < 90) return `${Math.round(minutes)} min`;
  if (minutes < 60 * 36) return `${Math.round(minutes / 60)} h`;
  return new Date(made * 1000).toISOString().slice(0, 10);
}
