// The Check page: formulas or a document, drawn and judged while they are typed.
import { h, replace, math, notice, labelled, select, later } from "./dom.js";
import { ask, parts, client } from "./api.js";
import { FIRST, KINDS } from "./check_first.js";
import { packed, unpacked } from "./check_link.js";
import { details, nothing, place, summary } from "./check_verdict.js";

const HINTS = {
  symbols: "one a line: name: shape (1 x d, onehot 1 x k, scalar)",
  equations: "one a line, in LaTeX or plain",
  claims: "one a line: what you derived",
};

export async function show(main, carried) {
  let content = FIRST.formulas;
  const drafts = { ...FIRST }; // what was written last, of each kind
  try {
    content = { ...content, ...(await unpacked(carried)) };
    if (!KINDS.some(([kind]) => kind === content.kind)) content = FIRST.formulas;
  } catch (error) {
    notice(error.message, true);
  }
  let asked = null;
  const verdicts = h("ol.verdicts");
  const state = h("p.status", { role: "status" });
  const about = h("p.about"); // of an example: what it is called, and what it says in words
  const judged = h("section", { "aria-label": "Verdicts", tabindex: "-1" }, state, verdicts);
  const editor = h("div.editor");

  const check = later(350, () => run());
  function changed(key, value) {
    content = { ...content, [key]: value };
    history.replaceState(null, "", "#check");
    check();
  }

  function area(key, label, rows) {
    const box = h("textarea.code", {
      rows,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      value: content[key] || "",
      oninput: (event) => changed(key, event.target.value),
    });
    box.dataset.key = key;
    return labelled(label, box, HINTS[key]);
  }

  function edit() {
    const lines = (key, least) => Math.max(least, (content[key] || "").split("\n").length + 1);
    if (content.kind === "formulas") {
      replace(
        editor,
        area("symbols", "Symbols", lines("symbols", 3)),
        area("equations", "Equations", lines("equations", 3)),
        area("claims", "Claims", lines("claims", 3)),
      );
    } else {
      replace(
        editor,
        area("text", KINDS.find(([kind]) => kind === content.kind)[1], Math.min(30, lines("text", 16))),
      );
    }
  }

  /** Another text; one of somebody's own has nothing said about it. */
  function open(next, ...said) {
    content = next;
    replace(about, said);
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
    let [expected, unread] = [null, 0];
    const given = () => tones.right + tones.wrong + tones.open;
    replace(state, h("span.busy", {}, "checking…"));
    try {
      for await (const part of parts("api/check", { ...sent, client }, mine.signal)) {
        if (mine !== asked) return;
        if ("claims" in part) expected = part.claims;
        else if ("fixes" in part) found.get(part.fixes)?.offer(() => takenOver({ text: part.text }));
        else if ("note" in part) rows.push(h("li.note", {}, `line ${part.line + 1}: ${part.note}`));
        else {
          const made = entry(part, sent);
          const drawn = part.verdict && sent.kind === "formulas" ? found.get(`claims ${part.line}`) : null;
          if (drawn) rows[rows.indexOf(drawn.element)] = made.element;
          else rows.push(made.element);
          found.set(part.field ? `${part.field} ${part.line}` : part.claim, made);
          if (part.verdict) tones[part.tone] += 1;
          else if (part.why) unread += 1;
        }
        if (expected === null) continue; // the old verdicts stay until there is something new
        verdicts.replaceChildren(...rows);
        replace(state, expected > given() && h("span.busy", {}, `checking ${given() + 1} of ${expected}…`));
      }
      if (mine !== asked) return;
      verdicts.replaceChildren(...rows);
      replace(state, given() ? summary(tones) : nothing(unread, sent));
    } catch (error) {
      if (mine !== asked || error.name === "AbortError") return;
      verdicts.replaceChildren(...rows);
      replace(state, h("span.wrong", {}, error.message));
    }
  }

  /** A text with a repair in it; whoever works by keyboard stays among the verdicts. */
  function takenOver(changes) {
    open({ ...content, ...changes }, ...about.childNodes);
    judged.focus({ preventScroll: true });
  }
  function takeOver(part) {
    const lines = content.claims.split("\n");
    lines[part.line] = part.repair.formula;
    takenOver({ claims: lines.join("\n") });
  }

  /** One formula with its verdict; `offer` gives it the button that takes the repair over. */
  function entry(part, sent) {
    const button = h("span");
    const element = h(
      `li.entry.${part.verdict ? part.tone : part.why ? "open" : "plain"}`,
      {},
      part.verdict &&
        h(
          "p.verdict",
          {},
          h("strong", {}, { right: "✓ ", wrong: "✗ ", open: "? " }[part.tone] + part.verdict),
          part.name && h("span.name", {}, part.name),
          place(part, sent),
        ),
      part.statement && part.statement !== part.formula && h("p", {}, part.statement),
      part.math || part.formula ? math(part.math, part.formula) : null,
      part.verdict
        ? part.why && h("p.why", {}, part.why)
        : part.why && h("p.why", {}, `not read: ${part.why}`),
      part.repair &&
        h(
          "div.repair",
          {},
          h("p", {}, h("strong", {}, "Repaired"), `: ${part.repair.changes}`),
          math(part.repair.math, part.repair.formula),
          h(
            "p.row",
            {},
            button,
            part.repair.verified_at_fresh_draws &&
              h("small", {}, `right at ${part.repair.verified_at_fresh_draws} fresh draws`),
          ),
        ),
      part.verdict && details(part),
    );
    const offer = (action) => replace(button, h("button.primary", { onclick: action }, "Take it over"));
    if (part.repair && sent.kind === "formulas") offer(() => takeOver(part));
    return { element, offer };
  }

  const kinds = select(KINDS, content.kind, (kind) => {
    drafts[content.kind] = content;
    open(drafts[kind]);
  });
  const file = h("input", {
    type: "file",
    accept: ".tex,.md,.markdown,.toml,.txt",
    hidden: true,
    onchange: () => {
      if (file.files[0]) take(file.files[0]);
      file.value = "";
    },
  });
  async function take(chosen) {
    if (chosen.size > 900000)
      return notice("This file is larger than 0.9 MB; check it with `workings check`.", true);
    const [is, text] = [(ending) => chosen.name.toLowerCase().endsWith(ending), await chosen.text()];
    return open({ kind: is(".tex") ? "latex" : is(".toml") ? "claims" : "markdown", text });
  }
  const book = h(
    "select",
    {
      "aria-label": "Examples from the book",
      onchange: () => {
        const [chapter, number] = book.value.split("/").map(Number);
        const { name, statement, ...found } = book.chapters[chapter].claims[number];
        open(found, h("strong", {}, name), statement && `: ${statement}`);
        book.selectedIndex = 0;
      },
    },
    h("option", { value: "" }, "Examples…"),
  );
  main.append(
    h(
      "div.head",
      {},
      h("h1", {}, "Check"),
      h(
        "p.lead",
        {},
        "Type what you derived. It is computed at random sizes and values; what is wrong comes back repaired.",
      ),
    ),
    h(
      "div.tools",
      {},
      labelled("Written as", kinds),
      labelled("From the book", book),
      h("button", { onclick: () => file.click() }, "Open a file…"),
      file,
      h("button", { onclick: copyLink }, "Copy a link"),
    ),
    h(
      "div.columns",
      {},
      h(
        "section",
        {
          "aria-label": "Editor",
          // A piece of text goes where it is dropped, a file is opened.
          ondragover: (event) => event.dataTransfer.types.includes("Files") && event.preventDefault(),
          ondrop: (event) => {
            const [dropped] = event.dataTransfer.files;
            if (!dropped) return;
            event.preventDefault();
            take(dropped);
          },
        },
        about,
        editor,
      ),
      judged,
    ),
  );
  edit();
  run();
  ask("api/examples").then(
    (chapters) => {
      book.chapters = chapters;
      chapters.forEach((chapter, at) =>
        book.append(
          h(
            "optgroup",
            { label: chapter.title || chapter.name },
            chapter.claims.map((claim, number) => h("option", { value: `${at}/${number}` }, claim.name)),
          ),
        ),
      );
    },
    (error) => notice(error.message, true),
  );

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
  addEventListener("server-back", run);
  return () => {
    removeEventListener("server-back", run);
    asked?.abort();
  };
}
