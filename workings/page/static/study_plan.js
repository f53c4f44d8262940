// The plan of a study: its rows with what differs, and a form that starts all or some of them.
import { h, replace, labelled } from "./dom.js";

/** A card; started({ rows, seeds, jobs }) is called with what was chosen. */
export function studyPlan(about, started) {
  const boxes = new Map();
  const count = h("p.soft", { role: "status" });
  const seeds = h("input", { type: "text", value: about.seeds.join(", "), oninput: () => tell() });
  const jobs = h("input", { type: "number", min: 1, max: 64, value: 1 });
  const go = h("button.primary", { onclick: () => started(wanted()) }, "Start");

  function chosenSeeds() {
    const words = seeds.value.split(",").map((word) => word.trim());
    return words.every((word) => /^\d+$/.test(word)) ? words.map(Number) : null;
  }

  function wanted() {
    const rows = [...boxes].filter(([, box]) => box.checked).map(([name]) => name);
    const all = rows.length === boxes.size;
    const same = seeds.value === about.seeds.join(", ");
    return { rows: all ? null : rows, seeds: same ? null : chosenSeeds(), jobs: Number(jobs.value) || 1 };
  }

  function tell() {
    if (about.parts.length) return replace(count, `It is made of ${about.parts.join(", ")}.`);
    const rows = [...boxes.values()].filter((box) => box.checked).length;
    const runs = rows * (chosenSeeds()?.length || 0);
    go.disabled = !runs;
    const wrong = chosenSeeds() ? "" : "Seeds are numbers, as in 1, 2, 3.";
    return replace(
      count,
      wrong
        ? h("span.wrong", {}, wrong)
        : `${counted(rows, "row")} with ${counted(chosenSeeds().length, "seed")}: ${counted(runs, "run")}.`,
    );
  }

  function row(each) {
    const box = h("input", {
      type: "checkbox",
      checked: true,
      "aria-label": `run ${each.name}`,
      onchange: tell,
    });
    boxes.set(each.name, box);
    const published = Object.entries(each.published).map(([metric, value]) =>
      h("span.figure", {}, `${metric} `, h("strong", {}, value)),
    );
    const settings = Object.entries(each.settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    return h(
      "tr",
      {},
      h("td", {}, box),
      h("th", { scope: "row" }, each.name),
      differ && h("td.text", {}, h("code", {}, settings.join(", "))),
      known && h("td.text", {}, published),
    );
  }

  const differ = about.rows.some((each) => Object.keys(each.settings).length);
  const known = about.rows.some((each) => Object.keys(each.published).length);
  const heads = ["", "row", differ && "differs in", known && "published"]
    .filter((name) => name !== false)
    .map((name) => h("th", {}, name));
  const rows = about.rows.map(row);
  const table = h("div.scroll", {}, h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)));
  tell();
  return h(
    "section.card",
    { "aria-label": "Plan" },
    h("h2", {}, about.title),
    about.question && h("p", {}, about.question),
    about.metric &&
      h(
        "p.soft",
        {},
        `Compared by ${about.metric}${about.source ? `; published figures: ${about.source}` : ""}.`,
      ),
    rows.length ? table : null,
    h(
      "div.tools.plan",
      {},
      rows.length ? labelled("Seeds", seeds) : null,
      labelled("Runs at a time", jobs),
      go,
    ),
    count,
    h("p.soft", {}, `\`workings study ${about.name} --plan\` says how long it takes.`),
  );
}

function counted(number, what) {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
