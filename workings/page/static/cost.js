// The Cost page: exact formulas drawn, sliders for the sizes, what dominates, growth, two side by side.
import { h, replace, math, meter, labelled, select, later } from "./dom.js";
import { ask } from "./api.js";
import { ownClass } from "./cost_own.js";
import { chart, COLOURS } from "./chart.js";
import { crossing, measuredChart } from "./cost_charts.js";
import { keyOf, misfit, pieceAt, sizesOf, termAt, unproven, valueOf, whole } from "./cost_formula.js";

export async function show(main, wanted) {
  const [known, { trust }] = await Promise.all([ask("api/architectures"), ask("api/about")]);
  const first = wanted ? decodeURIComponent(wanted).split(",") : ["attention", "taylor"];
  const asked = [first[0], first[1] || ""].map((model) => ({ model, symbols: "", args: "", inputs: "" }));
  const found = [null, null];
  const counts = [{}, {}]; // what was counted at some sizes, where the formula does not hold
  const chosen = {}; // sizes by what they mean, so that the tokens of one are the tokens of the other
  let [quantity, over] = ["forward", ""];
  const columns = h("div.columns.even");
  const sliders = h("div.sliders");
  const growth = h("section.card", { "aria-label": "Growth" });

  async function open(at) {
    const mine = asked[at];
    if (!mine.model) {
      found[at] = null;
      return draw();
    }
    history.replaceState(
      null,
      "",
      `#cost/${asked
        .map((each) => encodeURIComponent(each.model))
        .filter(Boolean)
        .join(",")}`,
    );
    replace(panels[at], h("p.busy", {}, "counting…"));
    try {
      const answer = await ask("api/cost", mine);
      if (mine !== asked[at]) return null;
      found[at] = answer;
      for (const symbol of answer.symbols) chosen[keyOf(symbol)] ??= symbol.size;
    } catch (error) {
      if (mine !== asked[at]) return null;
      found[at] = null;
      replace(panels[at], h("p.wrong", {}, error.message));
    }
    return draw();
  }

  function draw() {
    const symbols = named();
    if (!symbols.has(over)) over = [...symbols.keys()][0] || "";
    replace(
      sliders,
      [...symbols].map(([key, names]) => {
        const shown = h("output", {}, chosen[key].toLocaleString("en"));
        return labelled(
          h("span", {}, h("i", {}, names.join(", ")), key === names[0] ? " = " : ` ${key} = `, shown),
          h("input", {
            type: "range",
            min: 0,
            max: 16,
            step: 1,
            value: Math.round(Math.log2(chosen[key])),
            oninput: (event) => {
              chosen[key] = 2 ** Number(event.target.value);
              shown.textContent = chosen[key].toLocaleString("en");
              figures();
            },
          }),
        );
      }),
    );
    figures();
  }

  /** What each slider is of, and the names that it has in the formulas. */
  function named() {
    const names = new Map();
    for (const symbol of found.filter(Boolean).flatMap((each) => each.symbols))
      names.set(keyOf(symbol), [...new Set([...(names.get(keyOf(symbol)) || []), symbol.name])]);
    return names;
  }

  const figures = later(20, () => {
    found.forEach((each, at) => {
      if (each) panel(at);
      else if (!asked[at].model)
        replace(panels[at], h("p.soft", {}, "Choose a second one to set beside the first."));
    });
    drawGrowth();
    recount();
  });

  const recount = later(250, () =>
    found.forEach(async (cost, at) => {
      if (!cost) return;
      const sizes = sizesOf(cost, chosen);
      const key = JSON.stringify([asked[at], sizes]);
      const isOpen = Object.values(cost.quantities).some((each) => unproven(each, sizes));
      if (!isOpen || misfit(cost, sizes) || counts[at].key === key) return;
      counts[at] = { key };
      const values = await ask("api/cost/counted", { ...asked[at], sizes }).catch(() => null);
      if (counts[at].key !== key || !values) return;
      counts[at].values = values;
      panel(at);
    }),
  );

  function panel(at) {
    const cost = found[at];
    const sizes = sizesOf(cost, chosen);
    const trouble = misfit(cost, sizes);
    const wanted = cost.quantities[quantity];
    const symbol = cost.symbols.find((each) => keyOf(each) === over)?.name;
    const proven = cost.notes.map((line) => h("li", {}, line));
    replace(
      panels[at],
      h("p.soft", {}, cost.about || cost.model),
      trouble && h("p.open", {}, trouble),
      Object.entries(cost.quantities).map(([name, each]) => line(name, each, sizes, trouble, at)),
      wanted && pieceAt(wanted, sizes) && dominates(wanted, pieceAt(wanted, sizes), sizes, at),
      h("details", {}, h("summary", {}, "How far this is proven"), h("ul.reading", {}, proven)),
      h(
        "div.row",
        {},
        h("button", { onclick: () => measure(at) }, `Measure it over ${symbol || cost.symbols[0]?.name}`),
        times[at],
      ),
    );
  }

  /** One quantity: its name and value, its formula below them. */
  function line(name, each, sizes, trouble, at) {
    const piece = pieceAt(each, sizes);
    const doubt = piece && !trouble ? unproven(each, sizes) : "";
    const isCounted = counts[at].key === JSON.stringify([asked[at], sizes]);
    const counted = doubt && isCounted ? counts[at].values?.[name] : undefined;
    const value = trouble ? undefined : doubt ? counted : piece && valueOf(piece, sizes);
    const select = () => {
      quantity = name;
      measureBy.value = name;
      figures();
    };
    return h(
      name === quantity ? "div.quantity.chosen" : "div.quantity",
      {},
      h("button.link", { "aria-pressed": String(name === quantity), onclick: select }, each.label),
      h("small", {}, each.unit === each.label ? "" : each.unit),
      h("strong", {}, value === undefined ? "–" : whole(value)),
      piece ? math(piece.math, piece.text) : h("p.soft", {}, each.reason || "no formula"),
      doubt && h("p.open", {}, counted === undefined ? doubt : `${doubt}; this was counted there`),
    );
  }

  function dominates(each, piece, sizes, at) {
    const parts = piece.terms
      .map((term) => [term, Math.abs(termAt(term, sizes))])
      .sort((a, b) => b[1] - a[1]);
    const total = parts.reduce((sum, [, value]) => sum + value, 0) || 1;
    return h(
      "div",
      {},
      h("h2", {}, `What dominates: ${each.label}`),
      h(
        "div.bars",
        {},
        parts
          .slice(0, 6)
          .map(([term, value]) => [
            math(term.math),
            meter(value / total, COLOURS[at]),
            h("span.soft", {}, `${((100 * value) / total).toFixed(1)} %`),
          ]),
      ),
    );
  }

  function drawGrowth() {
    const curves = found.flatMap((cost, at) => {
      const each = cost?.quantities[quantity];
      if (!each || !cost.symbols.some((symbol) => keyOf(symbol) === over)) return [];
      const points = [];
      for (let power = 0; power <= 16; power += 1) {
        const there = sizesOf(cost, { ...chosen, [over]: 2 ** power });
        const piece = pieceAt(each, there);
        if (piece && !unproven(each, there)) points.push([2 ** power, valueOf(piece, there)]);
      }
      return [{ name: cost.model, colour: COLOURS[at], points }];
    });
    const names = [...named()].map(([key, all]) => [key, key === all[0] ? key : `${all.join(", ")} ${key}`]);
    replace(
      growth,
      h(
        "div.tools",
        {},
        h("h2.grow", {}, "Growth"),
        labelled("Of", measureBy),
        labelled(
          "Over",
          select(names, over, (value) => {
            over = value;
            figures();
          }),
        ),
      ),
      chart(curves, {
        log: true,
        logX: true,
        x: over,
        y: found.find(Boolean)?.quantities[quantity]?.label,
        width: innerWidth > 1000 ? Math.min(innerWidth, 1360) * 0.9 : undefined,
      }),
      curves.length === 2 && crossing(curves, over),
    );
  }

  async function measure(at) {
    replace(times[at], h("span.busy", {}, "timing passes on this machine…"));
    try {
      const symbols = found[at].symbols;
      const symbol = (symbols.find((each) => keyOf(each) === over) || symbols[0]).name;
      const sizes = sizesOf(found[at], chosen);
      const answer = await ask("api/cost/measured", { ...asked[at], symbol, sizes });
      replace(times[at], measuredChart(answer, symbol));
    } catch (error) {
      replace(times[at], h("span.wrong", {}, error.message));
    }
  }

  const QUANTITIES = [
    ["params", "parameters"],
    ["forward", "multiply-adds forward"],
    ["backward", "multiply-adds backward"],
    ["memory", "memory"],
    ["elementwise", "elementwise"],
    ["moved", "moved"],
  ];
  const measureBy = select(QUANTITIES, quantity, (value) => {
    quantity = value;
    figures();
  });
  const panels = [h("div"), h("div")];
  const times = [h("div.times"), h("div.times")];
  const heads = asked.map((each, at) => {
    const names = [
      ...known.map(({ name }) => name),
      ...(each.model && !known.some(({ name }) => name === each.model) ? [each.model] : []),
    ];
    return labelled(
      at ? "beside it" : "Architecture",
      select([...(at ? [["", "nothing"]] : []), ...names], each.model, (model) => {
        asked[at] = { model, symbols: "", args: "", inputs: "" };
        replace(times[at]);
        open(at);
      }),
    );
  });
  const count = (own) => {
    const choices = heads[0].querySelector("select");
    if (![...choices.options].some((each) => each.value === own.model))
      choices.append(h("option", { value: own.model }, own.model));
    choices.value = own.model;
    asked[0] = own;
    replace(times[0]);
    open(0);
  };
  columns.append(
    ...[0, 1].map((at) =>
      h(
        "section.card",
        { "aria-label": at ? "Second architecture" : "First architecture" },
        heads[at],
        panels[at],
      ),
    ),
  );
  main.append(
    h(
      "div.head",
      {},
      h("h1", {}, "Cost"),
      h(
        "p.lead",
        {},
        "What an architecture takes, as exact formulas in its sizes: recovered from counts at some sizes, held against counts at others.",
      ),
    ),
    h("section.card", { "aria-label": "Sizes" }, sliders),
    columns,
    growth,
    ...(trust ? [ownClass(count)] : []),
  );
  await Promise.all([open(0), open(1)]);
}
