// The workbench: chooses the view by the address, the system, light or dark.

import { catalogView } from "./catalog.js";
import { h, replace, toast } from "./dom.js";
import { memoryView } from "./memory.js";
import * as service from "./service.js";
import { systemView } from "./system.js";
import { translateView } from "./translate.js";

const VIEWS = { translate: translateView, catalog: catalogView, memory: memoryView, system: systemView };
const RIGHT_TO_LEFT = /^(ar|he|fa|ur|yi|ps|sd|ug|dv)\b/;
const main = document.getElementById("main"), chooser = document.getElementById("system");
const session = { source: "", seen: new Map(), catalog: null };
let known = { systems: [], limits: {} }, current = null, name = "";

const chosen = () => known.systems.find((one) => one.name === chooser.value) ?? known.systems[0];
const languageName = (code) => {
  if (!code || code === "und") return "";
  try { return new Intl.DisplayNames(["en"], { type: "language" }).of(code); } catch { return code; }
};

const context = {
  session,
  system: () => chosen()?.name,
  names: () => known.systems.map((one) => one.name),
  readOnly: () => chosen()?.read_only ?? false,
  codes: () => ({ source: chosen()?.source_language ?? "und", target: chosen()?.target_language ?? "und" }),
  languages: () => ({ source: languageName(context.codes().source) || "Source", target: languageName(context.codes().target) || "Translation" }),
  rightToLeft: (code) => RIGHT_TO_LEFT.test(code),
  changed: () => {},
};

function show() {
  name = location.hash.replace(/^#\//, "") || "translate";
  if (!(name in VIEWS)) name = "translate";
  current?.leave();
  for (const link of document.querySelectorAll("#views a"))
    if (link.getAttribute("href") === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  document.title = `${document.querySelector(`#views a[href="#/${name}"]`).textContent} · Isogloss`;
  current = VIEWS[name](context);
  replace(main, current.element);
}

function askToken(wrong) {
  return new Promise((resolve) => {
    const field = h("input", { type: "password", autocomplete: "off", "aria-label": "Token", required: true });
    const dialog = h("dialog", { class: "dialog", "aria-label": "Token" }, h("form", { method: "dialog", onsubmit: () => resolve(field.value.trim()) },
      h("h2", {}, "This service needs a token"), h("p", {}, wrong ? "The service does not know that token." : "Ask whoever runs it. The token stays in this tab."),
      field, h("div", { class: "buttons" }, h("button", { class: "primary" }, "Continue"))));
    dialog.addEventListener("close", () => { dialog.remove(); resolve(null); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

function shortcuts() {
  const rows = [["1 – 4 with Alt Shift", "views"], ["F2", "edit the translation"], ["Tab", "take the next word of a suggestion"], ["End", "take all of it"], ["Alt 1 – 5", "take another word"], ["Esc", "no suggestion; then leave the field"],
    ["Ctrl Enter", "correct; in a catalog accept and go on"], ["← →", "word of a translation; Enter shows alternatives"], ["↑ ↓", "entry of a catalog; Enter edits it"], ["Ctrl S", "save the catalog"]];
  const dialog = h("dialog", { class: "dialog", "aria-label": "Keyboard" }, h("form", { method: "dialog" }, h("h2", {}, "Keyboard"),
    h("dl", { class: "keys" }, rows.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("p", {}, "Programs use the ", h("a", { href: "/api" }, "REST interface"), "."),
    h("div", { class: "buttons" }, h("button", { class: "primary", autofocus: true }, "Close"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

document.getElementById("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = dark ? "light" : "dark";
  try { localStorage.setItem("isogloss-theme", theme); } catch { /* private window */ }
  setTheme(theme);
});
document.getElementById("keys").addEventListener("click", shortcuts);
document.addEventListener("keydown", (event) => {
  if (event.altKey && event.shiftKey && /^Digit[1-4]$/.test(event.code)) {
    event.preventDefault();
    location.hash = `#/${Object.keys(VIEWS)[Number(event.code.at(-1)) - 1]}`;
  }
});
chooser.addEventListener("change", () => { session.seen.clear(); session.catalog = null; show(); });
window.addEventListener("hashchange", show);

async function start() {
  try { setTheme(localStorage.getItem("isogloss-theme")); } catch { /* private window */ }
  service.onTokenNeeded(askToken);
  for (;;) {
    try {
      known = await service.systems();
      break;
    } catch (error) {
      if (error.code !== "not_ready") {
        replace(main, h("p", { class: "problem", role: "alert" }, error.message), h("button", { type: "button", onclick: () => location.reload() }, "Try again"));
        return;
      }
      replace(main, h("p", { class: "busy", role: "status" }, "The systems are being loaded…"));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  replace(chooser, known.systems.map((one) => h("option", { value: one.name },
    one.source_language === "und" ? one.name : `${one.name}  ${one.source_language} → ${one.target_language}`)));
  chooser.disabled = known.systems.length < 2;
  context.limits = known.limits;
  show();
}

start().catch((error) => toast(error.message, "error"));
