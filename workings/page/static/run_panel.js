// What is shown of the chosen runs: curves, figures, samples, settings with their differences, logs.
import { h, replace, notice, figure, sheet } from "./dom.js";
import { ask } from "./api.js";
import { curvesCard } from "./run_curves.js";
import { inWords } from "./run_names.js";

const MOST_COMPARED = 8; // side by side; curves are drawn of all
const MOST_CLASSES = 100; // of a confusion matrix

/** A panel; `show(rows)` fills it. refresh: after a run was stopped or taken up. */
export function runPanel(refresh) {
  const head = h("div");
  const curves = curvesCard();
  const rest = h("div");
  const element = h("div", { hidden: true }, head, curves.element, rest);
  const opened = new Map(); // what somebody has folded or unfolded
  let asked = 0;

  async function show(rows) {
    const mine = ++asked;
    element.hidden = false;
    if (!rows.length) {
      curves.element.hidden = true;
      replace(head, h("p.soft.empty", {}, "Choose a run to see its curves, or several to compare them."));
      replace(rest);
      return;
    }
    const names = rows.map((row) => row.name);
    const compared = rows.slice(0, MOST_COMPARED);
    try {
      const [lines, ...details] = await Promise.all([
        ask("api/curves", { runs: names }),
        ...compared.map((row) => ask("api/run", { run: row.name }).catch(unreadable)),
      ]);
      if (mine !== asked) return;
      replace(head, title(rows, refresh));
      curves.element.hidden = !Object.keys(lines).length;
      curves.update(
        rows.filter((row) => lines[row.name]),
        lines,
      );
      fill(rows, compared, details);
    } catch (error) {
      if (mine !== asked) return;
      curves.element.hidden = true;
      replace(head, h("p.wrong", {}, error.message));
      replace(rest);
    }
  }

  /** All but the curves; what is unfolded stays so, and a log that is read stays where it is. */
  function fill(rows, compared, details) {
    const log = rest.querySelector(".log");
    const atEnd = !log || log.scrollTop + log.clientHeight > log.scrollHeight - 8;
    const scrolled = log?.scrollTop;
    replace(
      rest,
      details.map((each, at) => each.wrong && h("p.wrong", {}, `${rows[at].label}: ${each.wrong}`)),
      rows.length > MOST_COMPARED && h("p.soft", {}, `Side by side are the first ${MOST_COMPARED}.`),
      figures(compared, details),
      samples(compared, details),
      settings(compared, details),
      logs(compared, details),
    );
    for (const each of rest.querySelectorAll("details")) {
      const { key } = each.dataset;
      each.open = opened.get(key) ?? each.open;
      each.firstChild.addEventListener("click", () => opened.set(key, !each.open));
    }
    const now = rest.querySelector(".log");
    if (now) now.scrollTop = atEnd ? now.scrollHeight : scrolled;
  }

  /** In place of a run that has no folder yet: that it starts, or why it was refused. */
  function wait(name, { says, refused }) {
    asked += 1;
    element.hidden = false;
    curves.element.hidden = true;
    const line = refused ? h("p.wrong", {}, says) : h("p.busy", {}, says || "starting…");
    replace(head, h("div.row.title", {}, h("h2.grow", {}, name), line));
    replace(rest);
  }

  return { element, show, wait };
}

/** In place of a run that cannot be read: the others are shown. */
function unreadable(error) {
  return { settings: {}, wrong: error.message };
}

function title(rows, refresh) {
  if (rows.length > 1) return h("h2", {}, `${rows.length} runs`);
  const [row] = rows;
  const act = async (path, said) => {
    try {
      await ask(path, { run: row.name });
      notice(said);
      refresh();
    } catch (error) {
      notice(error.message, true);
    }
  };
  const stop = () => act("api/stop", "It stops after its step, with a checkpoint.");
  const resume = () => act("api/resume", "It goes on from its last checkpoint.");
  const ended = ["stopped", "failed", "killed"].includes(row.state);
  return h(
    "div.row.title",
    {},
    h("h2.grow", { title: row.run }, row.label),
    row.state === "running" && !row.study && h("button.danger", { onclick: stop }, "Stop"),
    ended && h("button.primary", { onclick: resume }, "Resume"),
    row.epochs > 0 && h("a.button", { href: `#try/${encodeURIComponent(row.name)}` }, "Try it"),
    row.problem && h("p.wrong", {}, row.problem),
  );
}

/** The figures of a run, its baselines beside them; of several, run by run. */
function figures(rows, details) {
  const results = details.map((each) => each.result);
  const metrics = results.map((result) => result?.metrics || {});
  const full = [...new Set(metrics.flatMap(Object.keys))].filter((name) => /^(test|valid)\./.test(name));
  if (!full.length) return null;
  const questions = results.flatMap((result) => result?.questions || []);
  const doubts = questions.map((line) => h("p.open", {}, line));
  const table = rows.length > 1 ? sideBySide(rows, results, full) : alone(results[0], full);
  return folded("figures", "Figures", true, doubts, table);
}

function sideBySide(rows, results, full) {
  const lines = full.map((name) => [inWords(name), ...results.map((result) => figure(result?.metrics[name]))]);
  lines.push(["parameters", ...results.map((result) => result?.parameters?.toLocaleString("en") ?? "–")]);
  lines.push(["best epoch", ...results.map((result) => bestEpoch(result))]);
  return sheet(["", ...rows.map((row) => row.label)], lines);
}

/** A line for each metric: on validation, on test, and what baselines reach on test. */
function alone(result, full) {
  const names = [...new Set(full.map((name) => name.slice(name.indexOf(".") + 1)))];
  const baselines = Object.entries(result.baselines || {});
  const lines = names.map((name) => [
    inWords(name),
    figure(result.metrics[`valid.${name}`]),
    figure(result.metrics[`test.${name}`]),
    ...baselines.map(([, found]) => figure(found[`test.${name}`])),
  ]);
  const heads = ["", "validation", "test", ...baselines.map(([name]) => `${name} (test)`)];
  const size = `${result.parameters?.toLocaleString("en") ?? "–"} parameters; best epoch ${bestEpoch(result)}`;
  return [sheet(heads, lines), h("p.soft", {}, size)];
}

function bestEpoch(result) {
  return result ? `${result.best_epoch} of ${result.epochs}` : "–";
}

function samples(rows, details) {
  const tables = details.map((each, at) => [rows[at].label, Object.entries(each.result?.details || {})]);
  const filled = tables.filter(([, found]) => found.length);
  if (!filled.length) return null;
  const columns = filled.map(([run, found]) =>
    h(
      "div",
      {},
      filled.length > 1 && h("h3", {}, run),
      found.map(([name, value]) => [h("h3", {}, name.replaceAll("_", " ")), tableOf(value)]),
    ),
  );
  return folded("samples", "Samples and tables", false, h("div.side", {}, columns));
}

/** A run's own table: a confusion matrix, rows of named values, names with their values, or lines. */
function tableOf(value) {
  if (isMatrix(value)) return confusion(value);
  if (Array.isArray(value?.rows)) return tableOf(value.rows);
  if (!Array.isArray(value)) {
    return isPlain(value)
      ? sheet(
          ["", ""],
          Object.entries(value).map(([key, each]) => [key, cell(each)]),
        )
      : h("pre", {}, String(value));
  }
  if (value.length && value.every(isPlain)) {
    const heads = Object.keys(value[0]);
    return sheet(
      heads,
      value.slice(0, 12).map((row) => heads.map((head) => cell(row[head]))),
    );
  }
  const lines = value.slice(0, 20).map((line) => (Array.isArray(line) ? line.join(" ") : String(line)));
  return h("pre", {}, lines.join("\n"));
}

function isMatrix(value) {
  const isRow = (row) => Array.isArray(row) && row.every(Number.isFinite);
  return Array.isArray(value?.names) && Array.isArray(value.counts) && value.counts.every(isRow);
}

function isPlain(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function cell(value) {
  if (typeof value === "number") return figure(value);
  return value !== null && typeof value === "object" ? JSON.stringify(value) : String(value ?? "");
}

/** A row for each true class, a column for each predicted one, shaded by its share of the row. */
function confusion({ names, counts }) {
  if (names.length > MOST_CLASSES) return h("p.soft", {}, `${names.length} classes: too many for a table here.`);
  const rows = counts.map((row, at) => {
    const total = row.reduce((sum, count) => sum + count, 0) || 1;
    const cells = row.map((count) => {
      const made = h("td.number.shaded", {}, count.toLocaleString("en"));
      made.style.setProperty("--share", (count / total).toFixed(3));
      return made;
    });
    return h("tr", {}, h("th", { scope: "row" }, names[at]), cells);
  });
  const heads = [h("th", {}, "is ↓, predicted →"), names.map((name) => h("th.number", {}, name))];
  return h("div.scroll", {}, h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)));
}

/** The settings of a run; of several those that differ, and the others folded. */
function settings(rows, details) {
  const keys = [...new Set(details.flatMap((each) => Object.keys(each.settings)))];
  const values = (key) => details.map((each) => written(each.settings[key]));
  const differs = (key) => new Set(values(key)).size > 1;
  const line = (key) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, h("code", {}, key)),
      values(key).map((value) => h("td.text", {}, value)),
    );
  const table = (some, head) =>
    h("div.scroll", {}, h("table.settings", {}, head, h("tbody", {}, some.map(line))));
  if (rows.length === 1) return folded("settings", "Settings", false, table(keys.filter((key) => values(key)[0])));
  const different = keys.filter(differs);
  const heads = [h("th", {}, "differs"), rows.map((row) => h("th", {}, row.label))];
  return folded(
    "settings",
    "Settings",
    true,
    different.length
      ? table(different, h("thead", {}, h("tr", {}, heads)))
      : h("p.soft", {}, "All settings are equal."),
    inner("equal", `${keys.length - different.length} are equal`, equal(keys, differs, values)),
  );
}

function equal(keys, differs, values) {
  const lines = keys.filter((key) => !differs(key)).map((key) => [h("code", {}, key), values(key)[0]]);
  return sheet(["setting", "of all"], lines);
}

function written(value) {
  return value === undefined ? "" : Array.isArray(value) ? value.join(", ") : String(value);
}

function logs(rows, details) {
  const filled = details.map((each, at) => [rows[at].label, each.log]).filter(([, log]) => log);
  if (!filled.length) return null;
  const goesOn = details.length === 1 && details[0].state !== "finished";
  const shown = filled.map(([run, log]) => [
    filled.length > 1 && h("h3", {}, run),
    h("pre.log", { tabindex: "0", "aria-label": `log of ${run}` }, log),
  ]);
  return folded("log", "Log", goesOn, shown);
}

function folded(key, name, open, ...children) {
  const made = h("details.card", { open }, h("summary", {}, name), ...children);
  made.dataset.key = key;
  return made;
}

function inner(key, name, ...children) {
  const made = h("details", {}, h("summary", {}, name), ...children);
  made.dataset.key = key;
  return made;
}
