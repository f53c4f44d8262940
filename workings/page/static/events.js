// What the server tells while this window is looked at, and a line that says when it is gone.
import { h, notice, replace } from "./dom.js";

const AGAIN = 2000; // milliseconds until the server is asked again
const GONE =
  "The server does not answer. Trainings go on without it; this page goes on by itself when it is back.";
const ANOTHER = "Another server is there now: open the link that `workings page` printed last.";
const NOTHING_OLDER = Number.MAX_SAFE_INTEGER; // a version after which nothing has changed yet

let source = null;
let timer = 0;
let version = NOTHING_OLDER;
const listeners = new Set(); // who is told of changes: a page that is left late may not mute the next
let gone = false;

/** Tell of the runs' changes since a version; returns what ends it. */
export function follow(since, told) {
  version = since;
  listeners.add(told);
  connect();
  return () => listeners.delete(told);
}

/** Listen, and know so whether the server is there; not while the window is hidden. */
export function connect() {
  clearTimeout(timer);
  source?.close();
  if (document.hidden) return; // a browser has few connections to share among its windows
  const mine = (source = new EventSource(`api/events?version=${version}`));
  mine.onmessage = (event) => {
    const changes = JSON.parse(event.data);
    version = changes.version;
    for (const told of listeners) told(changes);
  };
  mine.onopen = back;
  mine.onerror = async () => {
    mine.close();
    const status = await fetch("api/about").then(
      (answer) => answer.status,
      () => 0,
    );
    if (mine !== source) return;
    if (status !== 200) lost(status === 401 ? ANOTHER : GONE);
    timer = setTimeout(connect, AGAIN);
  };
}

function lost(why) {
  gone = true;
  const line = document.getElementById("gone");
  if (line.textContent !== why) replace(line, h("p", {}, why));
}

function back() {
  if (!gone) return;
  gone = false;
  replace(document.getElementById("gone"));
  notice("The server is there again.");
  dispatchEvent(new Event("server-back"));
}

document.addEventListener("visibilitychange", connect);
