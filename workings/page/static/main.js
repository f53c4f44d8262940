// Which page is shown: #runs, #try/…, #check/…, each a module that fills <main> and may clean up.
import { h, replace, notice } from "./dom.js";

const PAGES = {
  runs: ["Runs", () => import("./runs.js")],
  try: ["Try it", () => import("./try.js")],
  check: ["Check", () => import("./check.js")],
  cost: ["Cost", () => import("./cost.js")],
  studies: ["Studies", () => import("./studies.js")],
};
let leave = null;
let shown = "";

async function show() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  const page = PAGES[name] ? name : "runs";
  const main = document.getElementById("main");
  for (const link of document.querySelectorAll("nav a")) {
    const here = link.getAttribute("href") === `#${page}`;
    link.toggleAttribute("aria-current", here);
    if (here) link.setAttribute("aria-current", "page");
  }
  document.title = `${PAGES[page][0]} · Workings`;
  if (leave) leave();
  leave = null;
  const asked = (shown = location.hash);
  replace(main, h("p.waiting", {}, "Loading…"));
  try {
    const module = await PAGES[page][1]();
    if (shown !== asked) return;
    replace(main);
    const left = await module.show(main, rest.join("/"));
    if (shown === asked) leave = left || null;
    else if (left) left();
  } catch (error) {
    replace(main, h("p.wrong", {}, error.message));
    console.warn(error);
  }
}

addEventListener("hashchange", show);
addEventListener("unhandledrejection", (event) => notice(event.reason?.message || String(event.reason), true));
show();
