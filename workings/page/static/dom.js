// Elements of the page. Text is always text: nothing that comes from a file is parsed as HTML.

/** h("button.primary", { onclick }, "Start"): an element with its class, attributes and children. */
export function h(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  return fill(set(element, attributes), ...children);
}

/** The same for SVG. */
export function s(tag, attributes = {}, ...children) {
  return fill(set(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes), ...children);
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && ["value", "checked", "disabled", "hidden", "open", "selected"].includes(name))
      element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  return element;
}

function fill(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Put children into an element, in place of what it had. */
export function replace(element, ...children) {
  element.replaceChildren();
  return fill(element, ...children);
}

/** A formula: the server's MathML, read as XML, or its text where it was not read. */
export function math(markup, text = "") {
  if (markup) {
    const read = new DOMParser().parseFromString(markup, "application/xml").documentElement;
    if (read.localName === "math")
      return h("div.math", {}, document.importNode(read, true));
  }
  return h("code.formula", {}, text);
}

/** Tell the user something, for some seconds. */
export function notice(text, wrong = false) {
  const place = document.getElementById("notice");
  const line = h(
    wrong ? "p.wrong" : "p",
    {},
    text,
    h("button.plain", { "aria-label": "Close", onclick: () => line.remove() }, "×"),
  );
  place.append(line);
  setTimeout(() => line.remove(), wrong ? 12000 : 5000);
}

let count = 0;
/** A control with its label. */
export function labelled(label, control, hint = "") {
  control.id ||= `control-${++count}`;
  return h("div.field", {}, h("label", { for: control.id }, label), control, hint && h("small", {}, hint));
}

/** A choice of one among some: select(["a", ["b", "the letter b"]], "a", chosen => …). */
export function select(choices, chosen, changed, attributes = {}) {
  const options = choices.map((each) => {
    const [value, label] = Array.isArray(each) ? each : [each, each];
    return h("option", { value, selected: value === chosen }, label);
  });
  return h("select", { ...attributes, onchange: (event) => changed(event.target.value) }, options);
}

/** Call a function when nothing has happened for so many milliseconds. */
export function later(milliseconds, action) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
}

/** A bar that is filled to a share, from 0 to 1. */
export function meter(share, colour = null, role = "meter", label = null) {
  const inner = h("i");
  inner.style.width = `${Math.max(0.5, share * 100)}%`;
  if (colour) inner.style.background = colour;
  const values = { "aria-valuenow": Math.round(share * 100), "aria-valuemin": 0, "aria-valuemax": 100 };
  return h("div.bar", { role, "aria-label": label, "aria-hidden": label ? null : "true", ...values }, inner);
}

/** A plain table: numbers to the right. */
export function sheet(heads, rows) {
  const numeric = (at) => rows.every((row) => /^(–|[\d.,e+\-% ]*( of \d+)?)$/.test(String(row[at] ?? "")));
  const kinds = heads.map((_, at) => (at && numeric(at) ? "number" : "text"));
  const head = heads.map((name, at) => h(`th.${kinds[at]}`, {}, name));
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      row.map((cell, at) => h(`td.${kinds[at]}`, {}, cell)),
    ),
  );
  return h("div.scroll", {}, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}

/** 0.1234, 12.34, 1.2e+6: as many digits as tell one figure from the next. */
export function figure(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return value.toLocaleString("en");
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2);
  return size < 2 ? value.toFixed(4) : value.toFixed(size < 100 ? 2 : 1);
}

/** 3:05, 1:02:05. */
export function clock(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
