import { h } from "./dom.js";
export function show(main) { main.append(h("p", {}, "To come.")); }
