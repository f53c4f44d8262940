// The Check page: formulas or a document, drawn and judged while they are typed.
import { h, replace, math, notice, labelled, select, later } from "./dom.js";
import { ask, parts, client } from "./api.js";

const KINDS = [["formulas", "Formulas"], ["markdown", "Markdown"], ["latex", "LaTeX"], ["claims", "Claims (TOML)"]];
const FIRST = {
  kind: "formulas",
  symbols: "x: 1 x d\nW: d x k\ny: onehot 1 x k",
  equations: "p = \\mathrm{softmax}(x W)\nE = -\\log(p) y^T",
  claims: "\\frac{\\partial E}{\\partial W} = x^T (y - p)\n\\frac{\\partial E}{\\partial x} = (p - y) W^T",
};
const FIRST_TEXT = {
  markdown: "# Least squares\n\nLet $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^{d \\times 1}$ and $y \\in \\mathbb{R}^{n \\times 1}$, with\n\n$$E = \\frac{1}{2} \\|X w - y\\|^2.$$\n\nThen\n\n$$\\frac{\\partial E}{\\partial w} = X (X w - y).$$\n",
  latex: "\\section{Least squares}\nLet $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^{d \\times 1}$ and $y \\in \\mathbb{R}^{n \\times 1}$, with\n\\begin{equation}\n  E = \\frac{1}{2} \\|X w - y\\|^2.\n\\end{equation}\nThen\n\\begin{equation}\n  \\nabla_w E = X (X w - y).\n\\end{equation}\n",
  claims: "[symbols]\na = \"1 x n\"\n\n[[claims]]\nclaim = 'a a^T = \\|a\\|'\n\n[[claims]]\nmodel = \"attention\"\ncount = '3d^2'\n",
};
const HINTS = {
  symbols: "one a line: name: shape (1 x d, onehot 1 x k, scalar)",
  equations: "one a line, in LaTeX or plain",
  claims: "one a line: what you derived",
};

export async function show(main, carried) {
  let content = (await unpacked(carried)) || FIRST;
  let asked = null;
  const verdicts = h("ol.verdicts", { "aria-label": "Verdicts" });
  const state = h("p.state", { role: "status" });
  const editor = h("div.editor");

  const check = later(350, () => run());
  function changed(key, value) {
    content = { ...content, [key]: value };
    history.replaceState(null, "", "#check");
    check();
  }

  function area(key, label, rows) {
    const box = h("textarea.code", { rows, spellcheck: "false", autocapitalize: "off", autocomplete: "off", value: content[key] || "", oninput: (event) => changed(key, event.target.value) });
    box.dataset.key = key;
    return labelled(label, box, HINTS[key]);
  }

  function edit() {
    const lines = (key, least) => Math.max(least, (content[key] || "").split("\n").length + 1);
    if (content.kind === "formulas") {
      replace(editor, area("symbols", "Symbols", lines("symbols", 3)), area("equations", "Equations", lines("equations", 3)), area("claims", "Claims", lines("claims", 3)));
    } else {
      replace(editor, area("text", KINDS.find(([kind]) => kind === content.kind)[1], Math.min(30, lines("text", 16))));
    }
  }

  function open(next) {
    content = next;
    history.replaceState(null, "", "#check");
    kinds.value = content.kind;
    edit();
    run();
  }

  async function run() {
    asked?.abort();
    const mine = (asked = new AbortController());
    const sent = content;
    const rows = []; // what is shown, in order
    const found = new Map();
    const tones = { right: 0, wrong: 0, open: 0 };
    let expected = null;
    const given = () => tones.right + tones.wrong + tones.open;
    replace(state, h("span.busy", {}, "checking…"));
    try {
      for await (const part of parts("api/check", { ...sent, client }, mine.signal)) {
        if (mine !== asked) return;
        if ("claims" in part) expected = part.claims;
        else if ("fixes" in part) found.get(part.fixes)?.offer(() => open({ ...content, text: part.text }));
        else if ("note" in part) rows.push(h("li.note", {}, `line ${part.line + 1}: ${part.note}`));
        else {
          const made = entry(part, sent);
          const drawn = part.verdict && sent.kind === "formulas" ? found.get(`claims ${part.line}`) : null;
          if (drawn) rows[rows.indexOf(drawn.element)] = made.element;
          else rows.push(made.element);
          found.set(part.field ? `${part.field} ${part.line}` : part.claim, made);
          if (part.verdict) tones[part.tone] += 1;
        }
        if (expected === null) continue; // the old verdicts stay until there is something new
        verdicts.replaceChildren(...rows);
        replace(state, expected > given() && h("span.busy", {}, `checking ${given() + 1} of ${expected}…`));
      }
      if (mine !== asked) return;
      verdicts.replaceChildren(...rows);
      replace(state, summary(tones));
    } catch (error) {
      if (mine !== asked || error.name === "AbortError") return;
      verdicts.replaceChildren(...rows);
      replace(state, h("span.wrong", {}, error.message));
    }
  }

  function takeOver(part) {
    const lines = content.claims.split("\n");
    lines[part.line] = part.repair.formula;
    open({ ...content, claims: lines.join("\n") });
  }

  /** One formula with its verdict; `offer` gives it the button that takes the repair over. */
  function entry(part, sent) {
    const button = h("span");
    const element = h(`li.entry.${part.verdict ? part.tone : "plain"}`, {},
      part.verdict && h("p.verdict", {}, h("strong", {}, { right: "✓ ", wrong: "✗ ", open: "? " }[part.tone] + part.verdict),
        part.name && h("span.name", {}, part.name), place(part, sent)),
      part.statement && part.statement !== part.formula && h("p", {}, part.statement),
      part.math || part.formula ? math(part.math, part.formula) : null,
      part.verdict ? part.why && h("p.why", {}, part.why) : part.why && h("p.why", {}, `not read: ${part.why}`),
      part.repair && h("div.repair", {}, h("p", {}, h("strong", {}, "Repaired"), `: ${part.repair.changes}`), math(part.repair.math, part.repair.formula),
        h("p.row", {}, button, part.repair.verified_at_fresh_draws && h("small", {}, `right at ${part.repair.verified_at_fresh_draws} fresh draws`))),
      part.verdict && details(part));
    const offer = (action) => replace(button, h("button.primary", { onclick: action }, "Take it over"));
    if (part.repair && sent.kind === "formulas") offer(() => takeOver(part));
    return { element, offer };
  }

  const kinds = select(KINDS, content.kind, (kind) => {
    if (kind === "formulas") open(FIRST);
    else open({ kind, text: content.text && content.kind !== "formulas" ? content.text : FIRST_TEXT[kind] });
  });
  const file = h("input", { type: "file", accept: ".tex,.md,.markdown,.toml,.txt", hidden: true, onchange: async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    if (chosen.size > 900000) return notice("This file is larger than 0.9 MB; check it with `workings check`.", true);
    const kind = chosen.name.endsWith(".tex") ? "latex" : chosen.name.endsWith(".toml") ? "claims" : "markdown";
    open({ kind, text: await chosen.text() });
    file.value = "";
  } });
  const book = h("select", { "aria-label": "Examples from the book", onchange: () => {
    const [chapter, number] = book.value.split("/").map(Number);
    const { name, statement, ...found } = book.chapters[chapter].claims[number];
    open(found);
    book.selectedIndex = 0;
  } }, h("option", { value: "" }, "Examples…"));
  main.append(
    h("div.head", {}, h("h1", {}, "Check"), h("p.lead", {}, "Type what you derived. It is computed at random sizes and values; what is wrong comes back repaired.")),
    h("div.tools", {}, labelled("Written as", kinds), labelled("From the book", book),
      h("button", { onclick: () => file.click() }, "Open a file…"), file,
      h("button", { onclick: copyLink }, "Copy a link")),
    h("div.columns", {}, h("section", { "aria-label": "Editor" }, editor), h("section", { "aria-label": "Verdicts" }, state, verdicts)));
  edit();
  run();
  ask("api/examples").then((chapters) => {
    book.chapters = chapters;
    chapters.forEach((chapter, at) => book.append(h("optgroup", { label: chapter.title || chapter.name }, chapter.claims.map((claim, number) => h("option", { value: `${at}/${number}` }, claim.name)))));
  }, (error) => notice(error.message, true));

  async function copyLink() {
    const link = `${location.origin}/#check/${await packed(content)}`;
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      notice("The link is copied: it holds the whole text, which it sends to no server.");
    } catch {
      notice("The link is in the address bar: copy it from there.");
    }
  }
  return () => asked?.abort();
}

function place(part, sent) {
  return sent.kind !== "formulas" && "line" in part ? h("span.place", {}, `line ${part.line + 1}`) : null;
}

function summary(tones) {
  const said = [[tones.right, "right", "right"], [tones.wrong, "wrong", "wrong"], [tones.open, "not decided", "open"]];
  return said.filter(([count]) => count).map(([count, word, tone]) => h(`span.badge.${tone}`, {}, `${count} ${word}`));
}

function details(part) {
  const facts = Object.entries(part.evidence).filter(([name]) => name !== "why").map(([name, value]) => [name.replaceAll("_", " "), shortly(value)]);
  const inferred = Object.entries(part.inferred || {}).map(([name, shape]) => `${name}: ${shape}`);
  if (!facts.length && !part.reading.length && !inferred.length) return null;
  return h("details", {}, h("summary", {}, "Evidence, and how it was read"),
    facts.length ? h("dl.facts", {}, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])) : null,
    inferred.length ? h("p", {}, "shapes that follow from the text: ", inferred.join(", ")) : null,
    part.steps.length ? h("ol", {}, part.steps.map((step) => h("li", {}, `${step.verdict}: `, h("code", {}, step.step)))) : null,
    part.reading.length ? h("ul.reading", {}, part.reading.map((line) => h("li", {}, h("code", {}, line)))) : null);
}

function shortly(value) {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toPrecision(4);
  if (Array.isArray(value)) return `(${value.map(shortly).join(", ")})`;
  if (value && typeof value === "object") return Object.entries(value).map(([name, each]) => `${name} = ${shortly(each)}`).join(", ");
  return String(value);
}

async function packed(content) {
  const squeezed = new Blob([JSON.stringify(content)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(squeezed).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), "")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text) {
  if (!text) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    const spread = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const found = JSON.parse(await new Response(spread).text());
    return KINDS.some(([kind]) => kind === found.kind) ? found : null;
  } catch {
    notice("This link is damaged: it does not hold a text any more.", true);
    return null;
  }
}
