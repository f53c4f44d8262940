// The form of a new run: the fields of a task's config with their descriptions, or its TOML.
import { h, replace, notice, labelled, select, later } from "./dom.js";
import { ask } from "./api.js";
import { lineOf, toml, written } from "./config_text.js";

let forms = null;

/** Ask for a new run in a dialog; `started` is told its name. */
export async function newRun(started) {
  forms ||= await ask("api/tasks");
  const today = new Date().toISOString().slice(5, 16).replace(/[-T:]/g, "");
  const state = { task: "images", kind: "", values: {}, text: null, name: `images-${today}` };
  const body = h("div.form");
  const marked = h("div");
  const said = h("p.status", { role: "status" });
  const dialog = h("dialog", { "aria-label": "New run", onclose: () => dialog.remove() });

  let asked = 0; // checks: an older one's answer may come later
  const check = later(300, async () => {
    const mine = ++asked;
    try {
      const found = await ask("api/config", { config: state.text ?? toml(state) });
      if (mine !== asked) return;
      mark(found.wrong);
      if (found.wrong) throw new Error(found.wrong);
      replace(said, h("span.right", {}, `✓ ${found.task}, ${found.model}: can be trained`));
      go.disabled = false;
    } catch (error) {
      if (mine !== asked) return;
      replace(said, h("span.wrong", {}, error.message));
      go.disabled = true;
    }
  });

  /** Show the line of the TOML that a mistake is in. */
  function mark(wrong) {
    const line = wrong && state.text !== null ? lineOf(state.text, wrong) : -1;
    body.querySelector("textarea")?.setAttribute("aria-invalid", String(Boolean(wrong)));
    const shown =
      line < 0
        ? null
        : h("pre.marked", {}, `line ${line + 1}: `, h("mark", {}, state.text.split("\n")[line]));
    replace(marked, shown);
  }

  /** Fill the form with what a config says, if it has a field for all of it. */
  async function fill(text) {
    const { wrong, task, model, given } = await ask("api/config", { config: text });
    if (wrong) throw new Error(wrong);
    const form = forms[task];
    const sections = Object.entries({ ...form.sections, model: form.models[model] || [] });
    const known = sections.flatMap(([section, all]) => all.map((each) => `${section}.${each.key}`));
    const { task: _, "model.kind": kind, ...values } = given;
    const other = Object.keys(values).filter((key) => key !== "seed" && !known.includes(key));
    if (!form.models[model]) other.unshift(`model.kind = ${model}`);
    if (other.length) throw new Error(`the form has no field for ${other.join(", ")}`);
    if (task !== state.task) {
      state.task = tasks.value = task;
      choices();
    }
    Object.assign(state, { kind: model, values, text: null });
  }
  /** Begin with a config that is shipped, in the form or as TOML. */
  async function begin(config) {
    const text = config ? forms[state.task].configs[config] : `task = ${written(state.task)}\n`;
    name.value = `${config || state.task}-${today}`;
    if (state.text === null) await fill(text);
    else state.text = text;
  }
  const shown = (action) => async (value) => {
    try {
      await action(value);
      draw();
    } catch (error) {
      replace(said, h("span.wrong", {}, error.message));
    }
  };

  function input(section, field) {
    const key = `${section}.${field.key}`;
    const set = (value) => {
      if (value === "" || value === undefined || value === null) delete state.values[key];
      else state.values[key] = value;
      check();
    };
    const given = state.values[key];
    if (section === "data" && field.key === "name")
      return select([["", "the default"], ...forms[state.task].sets], given ?? "", set);
    if (field.kind === "choice")
      return select(
        field.choices.map((each) => [String(each), String(each)]),
        String(given ?? field.default),
        (value) =>
          set(value === String(field.default) ? "" : field.choices.find((each) => String(each) === value)),
      );
    if (field.kind === "truth")
      return select(
        [
          ["true", "yes"],
          ["false", "no"],
        ],
        String(given ?? field.default),
        (value) => set(value === String(field.default) ? "" : value === "true"),
      );
    const number = field.kind === "whole" || field.kind === "number";
    const list = field.kind === "texts" || field.kind === "wholes";
    return h("input", {
      type: number ? "number" : "text",
      step: field.kind === "whole" ? 1 : "any",
      placeholder: list ? (field.default || []).join(", ") || "none" : String(field.default ?? ""),
      value: Array.isArray(given) ? given.join(", ") : (given ?? ""),
      oninput: (event) => {
        const value = event.target.value;
        set(
          value === ""
            ? ""
            : number
              ? Number(value)
              : list
                ? value.split(",").map((each) => (field.kind === "wholes" ? Number(each) : each.trim()))
                : field.kind === "either" && /^\d+$/.test(value)
                  ? Number(value)
                  : value,
        );
      },
    });
  }

  function fields(section, all) {
    const [usual, others] = [
      all.filter((each) => each.usual && each.key !== "kind"),
      all.filter((each) => !each.usual && each.key !== "kind"),
    ];
    return h(
      "fieldset",
      {},
      h("legend", {}, section),
      h(
        "div.grid",
        {},
        usual.map((each) => labelled(each.key, input(section, each), each.about)),
      ),
      others.length
        ? h(
            "details",
            { open: others.some((each) => state.values[`${section}.${each.key}`] !== undefined) },
            h("summary", {}, `${others.length} more`),
            h(
              "div.grid",
              {},
              others.map((each) => labelled(each.key, input(section, each), each.about)),
            ),
          )
        : null,
    );
  }

  function draw() {
    const form = forms[state.task];
    how.textContent = state.text === null ? "As TOML" : "As a form";
    replace(marked);
    state.kind ||= Object.keys(form.models)[0];
    if (state.text !== null) {
      replace(
        body,
        labelled(
          "Config",
          h("textarea.code", {
            rows: 18,
            spellcheck: "false",
            value: state.text,
            oninput: (event) => {
              state.text = event.target.value;
              check();
            },
          }),
        ),
      );
    } else {
      replace(
        body,
        h(
          "div.grid",
          {},
          labelled(
            "Model",
            select(Object.keys(form.models), state.kind, (kind) => {
              state.kind = kind;
              for (const key of Object.keys(state.values))
                if (key.startsWith("model.")) delete state.values[key];
              draw();
            }),
          ),
          labelled(
            "Seed",
            h("input", {
              type: "number",
              min: 0,
              step: 1,
              placeholder: "1",
              value: state.values.seed ?? "",
              oninput: (event) => {
                if (event.target.value) state.values.seed = Number(event.target.value);
                else delete state.values.seed;
                check();
              },
            }),
          ),
        ),
        fields("data", form.sections.data),
        fields("model", form.models[state.kind]),
        fields("train", form.sections.train),
      );
    }
    check();
  }

  const go = h(
    "button.primary",
    {
      disabled: true,
      onclick: async () => {
        go.disabled = true;
        replace(said, h("span.busy", {}, "starting…"));
        try {
          const { run } = await ask("api/start", { config: state.text ?? toml(state), name: name.value });
          dialog.close();
          notice("The run has started; it goes on when this page is closed.");
          started(run);
        } catch (error) {
          replace(said, h("span.wrong", {}, error.message));
          go.disabled = false;
        }
      },
    },
    "Start",
  );
  const name = h("input", { type: "text", value: state.name, pattern: "[A-Za-z0-9][\\w.\\-]*" });
  const tasks = select(Object.keys(forms), state.task, (task) => {
    Object.assign(state, { task, kind: "", values: {}, text: null });
    name.value = `${task}-${today}`;
    choices();
    draw();
  });
  const ready = h("span");
  const choices = () =>
    replace(
      ready,
      labelled(
        "Begin with",
        select([["", "the defaults"], ...Object.keys(forms[state.task].configs)], "", shown(begin)),
      ),
    );
  const turn = async () => {
    if (state.text === null) state.text = toml(state);
    else await fill(state.text);
  };
  const how = h("button", { onclick: shown(turn) }, "As TOML");
  choices();
  dialog.append(
    h(
      "div.row",
      {},
      h("h2.grow", {}, "New run"),
      h("button.plain", { "aria-label": "Close", onclick: () => dialog.close() }, "×"),
    ),
    h("div.tools", {}, labelled("Task", tasks), ready, labelled("Name", name), how),
    body,
    marked,
    h("div.row.foot", {}, go, h("button", { onclick: () => dialog.close() }, "Cancel"), said),
  );
  document.body.append(dialog);
  draw();
  dialog.showModal();
}
