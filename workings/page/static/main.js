// Which page is shown: #runs, #try/…, #check/…, each a module that fills <main> and may give what cleans up.
import { h, replace, notice } from "./dom.js";
import { connect } from "./events.js";
// All at once: a page that is opened while the server is gone has to be there.
import * as check from "./check.js";
import * as cost from "./cost.js";
import * as runs from "./runs.js";
import * as studies from "./studies.js";
import * as tryIt from "./try.js";

const PAGES = {
  runs: ["Runs", runs],
  try: ["Try it", tryIt],
  check: ["Check", check],
  cost: ["Cost", cost],
  studies: ["Studies", studies],
};
let leave = null;
let shown = "";
let failed = false;

async function show() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  const page = PAGES[name] ? name : "runs";
  const main = document.getElementById("main");
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${page}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${PAGES[page][0]} · Workings`;
  leave?.();
  leave = null;
  failed = false;
  const asked = (shown = location.hash);
  try {
    const place = h("div"); // of this visit alone: a slow one fills nothing that was left
    replace(main, place);
    const left = await PAGES[page][1].show(place, rest.join("/"));
    if (shown === asked) leave = left || null;
    else left?.();
  } catch (error) {
    failed = true;
    replace(main, h("p.wrong", {}, error.message));
    console.warn(error);
  }
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the part behind # says which page is shown
  document.getElementById("main").focus();
});
addEventListener("hashchange", show);
addEventListener("server-back", () => failed && show());
addEventListener("unhandledrejection", (event) =>
  notice(event.reason?.message || String(event.reason), true),
);
connect();
show();
