// The Studies page: what is planned, how far it is, its table and its report.
import { h, meter, replace, notice } from "./dom.js";
import { ask } from "./api.js";
import { studyPlan } from "./study_plan.js";

const EVERY = 5000; // milliseconds between two looks

export async function show(main, wanted) {
  const list = h("div");
  const view = h("div");
  let chosen = decodeURIComponent(wanted);
  let shipped = new Map();
  let planned = ""; // whose plan is shown: it is not drawn again while somebody fills it in
  let drawn = ""; // what was known of the study whose table is shown
  let isOpen = true;
  const told = new Set(); // why a study was not started

  async function refresh() {
    const studies = await ask("api/studies");
    if (!isOpen) return;
    shipped = new Map(studies.shipped.map((each) => [each.name, each]));
    chosen ||= studies.begun[0]?.name || studies.shipped[0]?.name || "";
    const why = studies.refused[chosen];
    if (why && !told.has(why)) notice(why, true);
    if (why) told.add(why);
    drawList(studies);
    const here = studies.begun.find((each) => each.name === chosen);
    if (here) await draw(here);
    else if (shipped.has(chosen)) plan(shipped.get(chosen));
    else replace(view, h("p.wrong", {}, `There is no study ${chosen}.`));
  }

  function drawList({ begun }) {
    const name = (each) =>
      h(
        "button.link",
        { "aria-pressed": String(each.name === chosen), onclick: () => choose(each.name) },
        each.name,
      );
    const here = begun.map((each) =>
      h(
        "li",
        {},
        name(each),
        " ",
        each.running && h("span.badge.open", {}, "running"),
        " ",
        each.report && report(each.name, "a"),
      ),
    );
    const others = [...shipped.values()].map((each) =>
      h("li", {}, name(each), h("small.under", {}, each.title)),
    );
    const before = list.querySelector("details");
    const open = before ? before.open : innerWidth > 800 || !begun.length;
    replace(
      list,
      begun.length
        ? h("section.card", { "aria-label": "Here" }, h("h2", {}, "Here"), h("ul.plain", {}, here))
        : null,
      h("details.card", { open }, h("summary", {}, `Shipped (${others.length})`), h("ul.plain", {}, others)),
    );
  }

  function choose(name) {
    [chosen, planned, drawn] = [name, "", ""];
    history.replaceState(null, "", `#studies/${encodeURIComponent(name)}`);
    replace(view, h("p.busy", {}, "reading…"));
    if (innerWidth <= 800) view.scrollIntoView();
    refresh();
  }

  async function act(path, content, said) {
    try {
      await ask(path, { study: chosen, ...content });
      notice(said);
      drawn = "";
      await refresh();
    } catch (error) {
      notice(error.message, true);
    }
  }
  const start = (content) =>
    act("api/study/start", content, "The study runs; it goes on when this page is closed.");
  const stop = () => act("api/study/stop", {}, "It stops after the step under way; start it again to go on.");

  function plan(about) {
    if (planned === about.name) return;
    planned = about.name;
    replace(view, studyPlan(about, start));
  }

  async function draw(here) {
    const known = JSON.stringify(here);
    if (known === drawn && !here.running) return null; // its table is work, and has not changed
    let study;
    try {
      study = await ask("api/study", { study: here.name });
    } catch (error) {
      return replace(view, h("p.wrong", {}, error.message));
    }
    if (chosen !== here.name || !isOpen) return null;
    [planned, drawn] = ["", known];
    const all = [study, ...study.parts];
    const sum = (key) => all.reduce((total, each) => total + each[key], 0);
    const log = view.querySelector("details.log");
    replace(
      view,
      head(study, sum("done"), sum("runs"), here),
      all.filter((each) => each.rows.length || each.error).map((each) => table(each, each === study)),
      study.log &&
        h(
          "details.card.log",
          { open: log ? log.open : study.running },
          h("summary", {}, "Log"),
          h("pre.log", {}, study.log),
        ),
    );
    return null;
  }

  /** Its question and its progress; what was left out is left out when it goes on, too. */
  function head(study, done, runs, here) {
    const narrowed = study.narrowed.length ? { rows: study.wanted, seeds: study.seeds } : {};
    const button = study.running
      ? h("button.danger", { onclick: stop }, "Stop")
      : done < runs &&
        shipped.has(here.name) &&
        h("button.primary", { onclick: () => start(narrowed) }, "Go on");
    const { holds, not } = study.claims;
    return h(
      "section.card",
      {},
      h("div.row", {}, h("h2.grow", {}, study.title), button, study.report && report(here.name, "a.button")),
      study.question && h("p", {}, study.question),
      study.narrowed.map((line) => h("p.soft", {}, `narrowed: ${line}`)),
      h(
        "div.row",
        {},
        h("div.grow", {}, meter(runs ? done / runs : 0, null, "progressbar", "progress of the study")),
        h("span.soft", {}, `${done} of ${runs} runs`),
      ),
      holds !== undefined &&
        h(
          "p",
          {},
          `The book: ${holds} statements hold, ${not} do not. `,
          h("a", { href: "#check" }, "Check your own"),
        ),
    );
  }

  main.append(
    h(
      "div.head",
      {},
      h("h1", {}, "Studies"),
      h("p.lead", {}, "Variants side by side, beside published figures."),
    ),
    h("div.studies", {}, list, replace(view, h("p.busy", {}, "reading…"))),
  );
  await refresh();
  const timer = setInterval(() => document.hidden || refresh().catch(() => {}), EVERY);
  return () => {
    isOpen = false;
    clearInterval(timer);
  };
}

function report(name, kind) {
  return h(kind, { href: `report/${encodeURIComponent(name)}`, target: "_blank", rel: "noopener" }, "Report");
}

function table(study, alone) {
  const ended = study.rows.every((row) => row.cells[1] === "finished");
  const kept = study.heads.map((_, at) => (at === 1 ? !ended : !at || study.rows.some((row) => row.cells[at])));
  const heads = study.heads.map((head, at) => kept[at] && h(at > 1 ? "th.number" : "th", {}, head));
  const rows = study.rows.map((row) =>
    h(
      "tr",
      {},
      row.cells.map(
        (cell, at) => kept[at] && (at ? h(at > 1 ? "td.number" : "td", {}, cell) : rowName(row, cell)),
      ),
    ),
  );
  return h(
    "section.card",
    { "aria-label": study.title },
    h("h2", {}, alone ? "Rows" : study.title),
    study.question && !alone && h("p.soft", {}, study.question),
    study.error && h("p.wrong", {}, study.error),
    rows.length
      ? h("div.scroll", {}, h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)))
      : null,
    study.notes && h("p.soft", {}, study.notes),
  );
}

function rowName(row, name) {
  const badges = row.badges.map((badge) => [" ", h("span.badge.right", {}, badge)]);
  return h(
    "th",
    { scope: "row" },
    row.badges.length ? h("strong", {}, name) : name,
    badges,
    row.error && h("small.under.wrong", {}, row.error),
  );
}
