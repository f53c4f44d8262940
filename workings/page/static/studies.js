// The Studies page: what is planned, how far it is, its table and its report.
import { h, meter, replace, notice } from "./dom.js";
import { ask } from "./api.js";

export async function show(main, wanted) {
  const list = h("div");
  const view = h("div");
  let chosen = decodeURIComponent(wanted);
  let timer = 0;
  let open = true;

  async function refresh() {
    const { begun, shipped } = await ask("api/studies");
    if (!open) return;
    chosen ||= begun[0]?.name || shipped[0]?.name || "";
    const titles = new Map(shipped.map((each) => [each.name, each]));
    replace(list,
      begun.length ? h("section.card", { "aria-label": "Here" }, h("h2", {}, "Here"), h("ul.plain", {}, begun.map((each) => h("li", {}, h("button.link", { "aria-pressed": String(each.name === chosen), onclick: () => choose(each.name) }, each.name), " ", each.running && h("span.badge.open", {}, "running"), each.report && h("a", { href: `report/${encodeURIComponent(each.name)}`, target: "_blank", rel: "noopener" }, " report"))))) : null,
      h("section.card", { "aria-label": "Shipped" }, h("h2", {}, "Shipped"), h("ul.plain", {}, shipped.map((each) => h("li", {}, h("button.link", { "aria-pressed": String(each.name === chosen), onclick: () => choose(each.name) }, each.name), h("small.under", {}, each.title))))));
    const here = begun.find((each) => each.name === chosen);
    if (here) await draw(here);
    else if (titles.has(chosen)) plan(titles.get(chosen));
  }

  function choose(name) {
    chosen = name;
    history.replaceState(null, "", `#studies/${encodeURIComponent(name)}`);
    replace(view, h("p.busy", {}, "reading…"));
    refresh();
  }

  const act = (path, said) => ask(path, { study: chosen }).then(() => { notice(said); refresh(); }, (error) => notice(error.message, true));
  const start = (label) => h("button.primary", { onclick: () => act("api/study/start", "The study runs; it goes on when this page is closed.") }, label);

  function plan(about) {
    replace(view, h("section.card", {}, h("h2", {}, about.title), about.question && h("p", {}, about.question),
      h("p.soft", {}, about.parts.length ? `It is made of ${about.parts.join(", ")}.` : `${about.rows} rows, ${about.runs} runs.`, ` \`workings study ${about.name} --plan\` says how long it takes.`), start("Start")));
  }

  async function draw(here) {
    let study;
    try {
      study = await ask("api/study", { study: here.name });
    } catch (error) {
      return replace(view, h("p.wrong", {}, error.message));
    }
    if (chosen !== here.name || !open) return null;
    const all = [study, ...study.parts];
    const [done, runs] = [all.reduce((sum, each) => sum + each.done, 0), all.reduce((sum, each) => sum + each.runs, 0)];
    replace(view, h("section.card", {}, h("div.row", {}, h("h2.grow", {}, study.title), study.running ? h("button.danger", { onclick: () => act("api/study/stop", "It stops after the step under way; start it again to go on.") }, "Stop") : done < runs ? start("Go on") : null, study.report && h("a.button", { href: `report/${encodeURIComponent(here.name)}`, target: "_blank", rel: "noopener" }, "Report")),
      study.question && h("p", {}, study.question), h("div.row", {}, h("div.grow", {}, meter(runs ? done / runs : 0, null, "progressbar")), h("span.soft", {}, `${done} of ${runs} runs`)),
      "holds" in study.claims && h("p", {}, `The book: ${study.claims.holds} statements hold, ${study.claims.not} do not. `, h("a", { href: "#check" }, "Check your own"))),
      all.filter((each) => each.rows?.length).map((each) => h("section.card", { "aria-label": each.title }, h("h2", {}, each.title), each.question && each !== study && h("p.soft", {}, each.question), tableOf(each), each.error && h("p.wrong", {}, each.error))),
      study.log ? h("details.card", { open: study.running }, h("summary", {}, "Log"), h("pre.log", {}, study.log)) : null);
    return null;
  }

  main.append(h("div.head", {}, h("h1", {}, "Studies"), h("p.lead", {}, "Variants side by side, beside published figures.")), h("div.studies", {}, list, view));
  await refresh();
  timer = setInterval(() => document.hidden || refresh().catch(() => {}), 5000);
  return () => { open = false; clearInterval(timer); };
}

function tableOf(study) {
  const kept = study.heads.map((_, at) => at < 2 || study.rows.some((row) => row.cells[at]));
  const cells = (row) => row.filter((_, at) => kept[at]);
  const kinds = cells(study.heads.map((_, at) => (at > 1 ? "number" : "text")));
  return h("div.scroll", {}, h("table", {}, h("thead", {}, h("tr", {}, cells(study.heads).map((head, at) => h(`th.${kinds[at]}`, {}, head)))),
    h("tbody", {}, study.rows.map((row) => h("tr", {}, cells(row.cells).map((cell, at) => h(`td.${kinds[at]}`, {}, at === 0 ? [row.badges.length ? h("strong", {}, cell) : cell, row.badges.map((badge) => [" ", h("span.badge.right", {}, badge)])] : cell, at === 0 && row.error && h("small.under.wrong", {}, row.error))))))));
}
