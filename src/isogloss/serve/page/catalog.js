// The view Catalog: open a file, go through its entries from the least confident on, accept, save it back.

import { confidence, count, debounce, h, replace, text, toast } from "./dom.js";
import { makeEditor } from "./editor.js";
import * as service from "./service.js";

const HEIGHT = 72; // of a row, in pixels; all rows have the same, so that thousands of them scroll smoothly
const STATES = { empty: "new draft", draft: "draft", fuzzy: "fuzzy", done: "done" };

export function catalogView(context) {
  const session = context.session;
  const view = h("div", { class: "catalog" }, h("h1", { class: "visually-hidden" }, "Catalog"));
  const leaving = (event) => { if (session.catalog?.edits.size) event.preventDefault(); };
  window.addEventListener("beforeunload", leaving);
  let table = null;

  const input = h("input", { type: "file", id: "file", class: "visually-hidden", accept: ".po,.pot,.xlf,.xliff,.tmx", onchange: () => input.files[0] && open(input.files[0]) });

  function welcome(message) {
    table?.leave();
    table = null;
    const drop = h("label", { class: "drop", for: "file", tabindex: "0", onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); input.click(); } } },
      h("span", { class: "big" }, "Open a catalog"),
      h("span", {}, "Drop a PO, XLIFF or TMX file here, or choose one."),
      h("span", { class: "help" }, "Entries without a translation get drafts, the least confident first. The file stays on your machine and is sent only to this service."));
    drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]); });
    replace(view, h("h1", { class: "visually-hidden" }, "Catalog"), input, drop, message ? h("p", { class: "problem", role: "alert" }, message) : null);
  }

  async function open(file) {
    replace(view, h("h1", { class: "visually-hidden" }, "Catalog"), input,
      h("p", { class: "busy", role: "status" }, "Translating the open entries of ", text(file.name), "…"));
    try {
      const content = new Uint8Array(await file.arrayBuffer());
      const answer = await service.openCatalog(file.name, content, context.system());
      session.catalog = { name: file.name, content, system: answer.system, rows: answer.rows, edits: new Map(), sort: "confidence", filter: "", only: "open" };
      show();
    } catch (error) {
      welcome(error.message);
    } finally {
      input.value = "";
    }
  }

  function show() {
    table = entries(context, session.catalog, () => { session.catalog = null; welcome(); });
    replace(view, h("h1", { class: "visually-hidden" }, "Catalog"), input, table.element);
    table.shown();
  }

  if (session.catalog) queueMicrotask(show);
  else welcome();
  return {
    element: view,
    leave() {
      window.removeEventListener("beforeunload", leaving);
      table?.leave();
    },
  };
}

function entries(context, catalog, close) {
  let order = [], at = 0, editor = null;

  const status = h("span", { class: "progress", role: "status" });
  const share = h("span", {});
  const remember = h("input", { type: "checkbox", id: "remember", checked: true });
  const search = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter entries", value: catalog.filter });
  const only = h("select", { "aria-label": "Entries to show" }, [["open", "open entries"], ["all", "all entries"], ["edited", "accepted here"], ["faults", "with faults"]]
    .map(([value, name]) => h("option", { value, selected: value === catalog.only }, name)));
  const sort = h("select", { "aria-label": "Order" }, [["confidence", "least confident first"], ["line", "order of the file"]]
    .map(([value, name]) => h("option", { value, selected: value === catalog.sort }, name)));
  const saveButton = h("button", { type: "button", class: "primary", onclick: save }, "Save file ", h("kbd", {}, "Ctrl S"));
  const spacer = h("div", { class: "spacer" });
  const rows = h("div", { class: "rows", role: "grid", tabindex: "0", "aria-label": "Entries", "aria-rowcount": "0" }, spacer);
  const element = h("div", { class: "entries" },
    h("div", { class: "bar" },
      h("strong", { class: "name" }, text(catalog.name)), h("span", { class: "meter", "aria-hidden": "true" }, share), status,
      h("span", { class: "buttons" }, saveButton, h("button", { type: "button", class: "quiet", onclick: leaveFile }, "Close"))),
    h("div", { class: "bar" }, search, only, sort,
      h("label", { class: "check", for: "remember" }, remember, " learn from what I accept")),
    h("p", { class: "help keys" }, h("kbd", {}, "↑"), h("kbd", {}, "↓"), " entry  ", h("kbd", {}, "Enter"), " edit  ", h("kbd", {}, "Ctrl"), "+", h("kbd", {}, "Enter"), " accept and go on  ", h("kbd", {}, "Esc"), " leave the entry"),
    rows);

  const shownText = (row) => catalog.edits.get(row.number)?.target ?? (row.state === "done" || row.state === "fuzzy" ? row.target : row.draft ?? row.target);
  const faultOf = (row) => (catalog.edits.has(row.number) ? catalog.edits.get(row.number).fault ?? "" : row.fault);

  function arrange() {
    const wanted = catalog.filter.toLowerCase();
    order = catalog.rows.filter((row) => {
      const edited = catalog.edits.has(row.number);
      if (catalog.only === "open" && (row.state === "done" && !edited)) return false;
      if (catalog.only === "edited" && !edited) return false;
      if (catalog.only === "faults" && !faultOf(row)) return false;
      return !wanted || row.source.toLowerCase().includes(wanted) || shownText(row).toLowerCase().includes(wanted);
    });
    if (catalog.sort === "confidence") order.sort((a, b) => (a.confidence ?? 2) - (b.confidence ?? 2) || a.line - b.line);
    at = Math.min(at, Math.max(0, order.length - 1));
    spacer.style.height = `${order.length * HEIGHT}px`;
    rows.setAttribute("aria-rowcount", order.length);
    tell();
    draw(true);
  }

  function tell() {
    const open = catalog.rows.filter((row) => row.state !== "done" && !catalog.edits.has(row.number)).length;
    const all = catalog.rows.length;
    status.textContent = `${count(catalog.edits.size)} accepted, ${count(open)} of ${count(all)} open`;
    share.style.width = `${all ? (100 * (all - open)) / all : 0}%`;
    saveButton.disabled = !catalog.edits.size;
  }

  // Only what can be seen is in the page.
  let first = -1, last = -1;
  function draw(again = false) {
    if (editor && !again) return;
    const from = Math.max(0, Math.floor(rows.scrollTop / HEIGHT) - 6);
    const to = Math.min(order.length, Math.ceil((rows.scrollTop + rows.clientHeight) / HEIGHT) + 6);
    if (!again && from === first && to === last) return;
    [first, last, editor] = [from, to, null];
    replace(spacer, order.slice(from, to).map((row, place) => drawn(row, from + place)),
      order.length ? null : h("p", { class: "empty" }, "No entry is like this."));
  }

  function drawn(row, place) {
    const edited = catalog.edits.get(row.number), fault = faultOf(row);
    return h("div", {
      class: `entry ${place === at ? "current" : ""} ${edited ? "accepted" : row.state}`, role: "row", id: `entry-${row.number}`,
      "aria-rowindex": place + 1, "aria-selected": place === at ? "true" : "false", style: { top: `${place * HEIGHT}px`, height: `${HEIGHT}px` },
      onclick: () => { if (!editor || at !== place) { go(place); edit(); } },
    },
      h("div", { role: "gridcell", class: "mark" }, h("span", { class: `badge ${edited ? "accepted" : row.state}` }, edited ? "accepted" : STATES[row.state]),
        row.confidence !== null && !edited ? confidence(row.confidence, row.match ? "training" : "") : h("span", { class: "help" }, `line ${row.line}`)),
      text(row.source, { role: "gridcell", class: "from", title: row.context || undefined }, "div"),
      h("div", { role: "gridcell", class: "to" }, text(shownText(row) || "", { lang: context.codes().target }, "div"),
        fault ? h("span", { class: "fault" }, "⚠ ", fault) : null));
  }

  function go(place) {
    at = Math.max(0, Math.min(order.length - 1, place));
    const top = at * HEIGHT;
    if (top < rows.scrollTop) rows.scrollTop = top;
    if (top + 2 * HEIGHT > rows.scrollTop + rows.clientHeight) rows.scrollTop = top + 2 * HEIGHT - rows.clientHeight;
    rows.setAttribute("aria-activedescendant", order[at] ? `entry-${order[at].number}` : "");
    draw(true);
  }

  function edit() {
    const row = order[at];
    if (!row) return;
    const place = spacer.querySelector(`#entry-${row.number}`);
    const problem = h("span", { class: "fault", role: "status" });
    const check = debounce(150, async (target) => {
      try { problem.textContent = (await service.check({ source: row.source, target })).fault; } catch { /* checked again when saving */ }
    });
    editor = makeEditor({
      label: `Translation of: ${row.source}`, source: () => row.source, system: () => catalog.system, value: shownText(row), compact: true,
      oninput: check, onaccept: (value) => accept(row, value), oncancel: () => { draw(true); rows.focus(); },
    });
    place.classList.add("editing");
    const from = text(row.source, { class: "from" }, "div");
    replace(place, from, h("div", { class: "to" }, editor.element, problem),
      h("div", { class: "buttons" }, h("button", { type: "button", class: "primary", onclick: (event) => { event.stopPropagation(); accept(row, editor.value); } }, "Accept"),
        h("button", { type: "button", class: "quiet", onclick: (event) => { event.stopPropagation(); draw(true); rows.focus(); } }, "Cancel")));
    place.onclick = (event) => event.stopPropagation();
    editor.focus();
    if (!shownText(row)) editor.suggest();
  }

  async function accept(row, target) {
    if (!target.trim()) return toast("The translation is empty.", "error");
    try {
      const { fault } = await service.check({ source: row.source, target });
      if (fault) return toast(`Not accepted: ${fault}.`, "error");
    } catch (error) {
      return toast(error.message, "error");
    }
    const first = shownText(row);
    catalog.edits.set(row.number, { target, accepted: true });
    if (remember.checked && !context.readOnly() && target !== row.draft && target !== first) learn(row, target);
    tell();
    rows.focus();
    if (catalog.sort === "line") go(at + 1);
    else go(order.findIndex((one, place) => place > at && !catalog.edits.has(one.number)) >= 0 ? order.findIndex((one, place) => place > at && !catalog.edits.has(one.number)) : at);
  }

  async function learn(row, target) {
    try {
      await service.correct({ system: catalog.system, source: row.source, target });
      context.changed();
    } catch (error) {
      toast(`Accepted, but not learned: ${error.message}`, "error");
    }
  }

  async function save() {
    const edits = [...catalog.edits].map(([number, one]) => ({ number, target: one.target, accepted: true }));
    if (!edits.length) return;
    try {
      const content = await service.saveCatalog({ system: catalog.system, name: catalog.name, content: base64(catalog.content), edits });
      const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
      h("a", { href: url, download: catalog.name }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
      for (const edit of edits) Object.assign(catalog.rows[edit.number], { target: edit.target, state: "done", draft: null, fault: "", confidence: null });
      catalog.content = new Uint8Array(content);
      catalog.edits.clear();
      arrange();
      toast(`${catalog.name} is saved to your downloads, with ${count(edits.length)} entries changed.`);
    } catch (error) {
      toast(error.message, "error");
    }
  }

  function leaveFile() {
    if (catalog.edits.size && !confirm("Leave this file without saving what you accepted?")) return;
    close();
  }

  rows.addEventListener("scroll", () => requestAnimationFrame(() => draw()), { passive: true });
  rows.addEventListener("keydown", (event) => {
    if (event.target !== rows) return;
    const page = Math.max(1, Math.floor(rows.clientHeight / HEIGHT) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 };
    if (event.key in steps) { event.preventDefault(); go(at + steps[event.key]); }
    if (event.key === "Enter" && order[at]) {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) accept(order[at], shownText(order[at]));
      else edit();
    }
  });
  search.addEventListener("input", debounce(120, () => { catalog.filter = search.value; at = 0; arrange(); }));
  only.addEventListener("change", () => { catalog.only = only.value; at = 0; arrange(); });
  sort.addEventListener("change", () => { catalog.sort = sort.value; at = 0; arrange(); });
  const keys = (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); save(); }
  };
  document.addEventListener("keydown", keys);
  const resized = new ResizeObserver(() => draw());
  return {
    element,
    shown() { resized.observe(rows); arrange(); rows.focus(); },
    leave() { document.removeEventListener("keydown", keys); resized.disconnect(); },
  };
}

function base64(bytes) {
  let out = "";
  for (let at = 0; at < bytes.length; at += 0x8000) out += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(out);
}
