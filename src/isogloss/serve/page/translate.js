// The view Translate: live translation, words and what they come from, alternatives, examples, reasons, corrections.

import { confidence, debounce, differences, h, percent, replace, text, toast, wordDifferences } from "./dom.js";
import { makeEditor } from "./editor.js";
import { explanation } from "./reasons.js";
import * as service from "./service.js";

const KEPT = 12; // sentences of this session that are looked at again after a correction

export function translateView(context) {
  const session = context.session;
  let lines = [], active = 0, abort = null, editing = null, shown = 0;

  const area = h("textarea", { id: "source", class: "text", dir: "auto", spellcheck: false, "aria-label": "Source text", placeholder: "Type or paste a sentence…" });
  const mirror = h("div", { class: "mirror text", dir: "auto", "aria-hidden": "true" });
  const output = h("div", { class: "output", "aria-live": "polite", "aria-label": "Translation" });
  const state = h("div", { class: "state" });
  const size = h("span", { class: "help" });
  const editButton = h("button", { type: "button", class: "primary", onclick: () => edit() }, "Edit ", h("kbd", {}, "F2"));
  const copyButton = h("button", { type: "button", onclick: copy }, "Copy");
  const clearButton = h("button", { type: "button", class: "quiet", onclick: () => { area.value = ""; area.focus(); changed(); } }, "Clear");
  const examples = h("div", { class: "examples" });
  const why = h("div", { class: "why" });
  const changes = h("section", { class: "card changes", hidden: true, "aria-label": "What changed" });
  const languages = context.languages();

  const view = h("div", { class: "translate" },
    h("h1", { class: "visually-hidden" }, "Translate"),
    h("div", { class: "panes" },
      h("section", { class: "pane", "aria-label": "Source" },
        h("header", {}, h("h2", {}, languages.source), clearButton),
        h("div", { class: "field source" }, mirror, area),
        h("footer", {}, h("span", { class: "help" }, "Each line is a sentence"), size)),
      h("section", { class: "pane target", "aria-label": "Translation" },
        h("header", {}, h("h2", {}, languages.target), state),
        output,
        h("footer", {}, h("span", { class: "buttons" }, editButton, copyButton),
          h("span", { class: "help" }, "Click a word for alternatives")))),
    changes,
    h("div", { class: "columns" },
      h("section", { class: "card", "aria-label": "Nearest examples" }, h("h2", {}, "Nearest examples"), examples),
      h("section", { class: "card", "aria-label": "Why this translation" }, h("h2", {}, "Why this translation"), why)));

  const changed = debounce(120, translate);
  area.addEventListener("input", () => { mark([]); changed(); });
  area.addEventListener("keyup", pointFromSource);
  area.addEventListener("click", pointFromSource);

  async function translate() {
    const whole = area.value;
    session.source = whole;
    abort?.abort();
    stopEditing();
    changes.hidden = true;
    size.textContent = whole.length > 500 ? `${whole.length.toLocaleString("en-US")} characters` : "";
    const given = whole.split("\n");
    if (!whole.trim()) {
      lines = [];
      replace(state);
      replace(examples, h("p", { class: "empty" }, "Examples of the training text and corrections appear here."));
      replace(why, h("p", { class: "empty" }, "The rules and features behind a translation appear here."));
      return draw();
    }
    abort = new AbortController();
    try {
      const answer = await service.translate({ system: context.system(), text: given, details: true }, abort.signal);
      lines = answer.translations;
      active = Math.min(active, lines.length - 1);
      while (active > 0 && !lines[active].source.trim()) active--;
      for (const one of lines) remember(one);
      draw();
      about();
    } catch (error) {
      if (error.name === "AbortError") return;
      lines = [];
      replace(output, h("p", { class: "problem", role: "alert" }, error.message));
      replace(state);
    }
  }

  function remember(one) {
    if (!one.source.trim()) return;
    session.seen.delete(one.source);
    session.seen.set(one.source, one.text);
    while (session.seen.size > KEPT) session.seen.delete(session.seen.keys().next().value);
  }

  function draw() {
    editButton.disabled = copyButton.disabled = !lines.length;
    clearButton.hidden = !area.value;
    replace(state, lines.length ? confidence(lines[active].confidence, lines[active].match) : null);
    if (!lines.length) return replace(output, h("p", { class: "placeholder" }, "The translation appears here while you type."));
    replace(output, lines.map((line, at) => h("p", {
      class: `line text ${lines.length > 1 && at === active ? "active" : ""}`, dir: "auto", lang: context.codes().target,
      onclick: () => choose(at),
    }, words(line, at))));
    const first = output.querySelector(".word");
    if (first) first.tabIndex = 0;
  }

  // The translation as words that can be pointed at and chosen.
  function words(line, at) {
    const details = line.details, out = [];
    const unknown = new Set(details.unknown);
    let done = 0;
    details.spans.forEach((span, token) => {
      if (!span || span[0] < done) return;
      if (span[0] > done) out.push(line.text.slice(done, span[0]));
      const from = details.alignment.filter(([, target]) => target === token).map(([source]) => source);
      const strange = from.some((source) => unknown.has(details.source_tokens[source])) && unknown.has(details.tokens[token]);
      out.push(h("button", {
        type: "button", class: `word ${strange ? "unknown" : ""}`, tabindex: "-1", dataset: { token, line: at },
        title: strange ? "The engine does not know this word" : undefined,
        onmouseenter: () => point(at, token), onmouseleave: () => mark([]), onfocus: () => point(at, token), onblur: () => mark([]),
        onclick: (event) => { event.stopPropagation(); choose(at); alternatives(event.currentTarget, line, span[0]); },
        onkeydown: move,
      }, line.text.slice(span[0], span[1])));
      done = span[1];
    });
    if (done < line.text.length) out.push(line.text.slice(done));
    return out.length ? out : "\u200b";
  }

  function move(event) {
    const all = [...output.querySelectorAll(".word")], at = all.indexOf(event.currentTarget);
    const forward = getComputedStyle(event.currentTarget.parentElement).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = forward === "ArrowRight" ? "ArrowLeft" : "ArrowRight";
    const next = event.key === forward ? all[at + 1] : event.key === back ? all[at - 1] : event.key === "Home" ? all[0] : event.key === "End" ? all.at(-1) : null;
    if (!next) return;
    event.preventDefault();
    event.currentTarget.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  function choose(at) {
    if (at === active) return;
    active = at;
    output.querySelectorAll(".line").forEach((one, place) => one.classList.toggle("active", place === at));
    replace(state, confidence(lines[at].confidence, lines[at].match));
    about();
  }

  // Marks the source words of a target word, and the word itself.
  function point(at, token) {
    const details = lines[at]?.details;
    if (!details) return;
    const sources = new Set(details.alignment.filter(([, target]) => target === token).map(([source]) => source));
    const targets = new Set(details.alignment.filter(([source]) => sources.has(source)).map(([, target]) => target)).add(token);
    output.querySelectorAll(".word").forEach((one) =>
      one.classList.toggle("pointed", Number(one.dataset.line) === at && targets.has(Number(one.dataset.token))));
    const begin = lines.slice(0, at).reduce((sum, line) => sum + line.source.length + 1, 0);
    mark([...sources].map((source) => details.source_spans[source]).filter(Boolean).map(([from, to]) => [begin + from, begin + to]), true);
  }

  function mark(spans, keep = false) {
    if (!keep) output.querySelectorAll(".pointed").forEach((one) => one.classList.remove("pointed"));
    const whole = area.value, out = [];
    let done = 0;
    for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
      if (from < done) continue;
      out.push(whole.slice(done, from), h("mark", {}, whole.slice(from, to)));
      done = to;
    }
    replace(mirror, spans.length ? out : whole, spans.length ? whole.slice(done) : null, "\u200b");
  }

  function pointFromSource() {
    const caret = area.selectionStart;
    let begin = 0, at = 0;
    while (at < lines.length - 1 && caret > begin + lines[at].source.length) begin += lines[at++].source.length + 1;
    const details = lines[at]?.details;
    if (!details) return;
    choose(at);
    const token = details.source_spans.findIndex((span) => span && begin + span[0] <= caret && caret <= begin + span[1]);
    const linked = details.alignment.find(([source]) => source === token);
    if (linked) point(at, linked[1]);
    else mark([]);
  }

  // Other words for a place: the search goes on from what stands before it.
  async function alternatives(word, line, from) {
    closeMenu();
    const menu = h("div", { class: "menu", role: "menu", "aria-label": "Alternatives" }, h("p", { class: "help" }, "Looking…"));
    word.after(menu);
    word.setAttribute("aria-expanded", "true");
    menu.closed = () => { word.removeAttribute("aria-expanded"); word.focus(); };
    const typed = line.text.slice(0, from);
    try {
      const answer = await service.complete({ system: context.system(), source: line.source, typed, alternatives: 8 });
      const all = [{ text: answer.next_word, completion: answer.completion }, ...answer.alternatives]
        .filter((one) => typed + one.completion !== line.text);
      replace(menu, all.length ? all.map((one) => h("button", {
        type: "button", role: "menuitem", tabindex: "-1",
        onclick: (event) => { event.stopPropagation(); closeMenu(); edit(typed + one.completion); },
        onkeydown: menuKeys,
      }, text(one.text.trim(), { class: "choice" }), text(one.completion.slice(one.text.length), { class: "rest" })))
        : h("p", { class: "help" }, "No other words here."));
      (menu.querySelector("button") ?? word).focus();
    } catch (error) {
      replace(menu, h("p", { class: "problem" }, error.message));
    }
  }

  function menuKeys(event) {
    const all = [...event.currentTarget.parentElement.querySelectorAll("button")], at = all.indexOf(event.currentTarget);
    if (event.key === "ArrowDown") { event.preventDefault(); (all[at + 1] ?? all[0]).focus(); }
    if (event.key === "ArrowUp") { event.preventDefault(); (all[at - 1] ?? all.at(-1)).focus(); }
    if (event.key === "Escape" || event.key === "Tab") { event.preventDefault(); event.stopPropagation(); closeMenu(); }
  }

  function closeMenu() {
    const menu = output.querySelector(".menu");
    menu?.remove();
    menu?.closed();
  }

  // Editing: the active line becomes a field with type-ahead.
  function edit(value) {
    const line = lines[active];
    if (!line || context.readOnly()) return line && toast("This service is read-only.", "error");
    closeMenu();
    editing = line;
    const field = makeEditor({
      label: `Translation of: ${line.source}`, source: () => line.source, system: context.system, value: value ?? line.text,
      onaccept: save, oncancel: () => { stopEditing(); draw(); editButton.focus(); },
    });
    replace(output, text(line.source, { class: "edited-source" }, "p"), field.element, h("div", { class: "buttons" },
      h("button", { type: "button", class: "primary", onclick: () => save(field.value) }, "Correct ", h("kbd", {}, "Ctrl Enter")),
      h("button", { type: "button", onclick: () => { field.set("", { suggest: true }); field.focus(); } }, "Start over"),
      h("button", { type: "button", class: "quiet", onclick: () => { stopEditing(); draw(); } }, "Cancel")));
    editButton.disabled = copyButton.disabled = true;
    field.focus();
    if (value !== undefined) field.suggest();
  }

  const stopEditing = () => { editing = null; };

  async function save(value) {
    const line = editing;
    if (!line || !value.trim()) return;
    try {
      const made = await service.correct({ system: context.system(), source: line.source, target: value });
      stopEditing();
      const seen = [...session.seen];
      await translate();
      await showChanges(made, line, seen);
      context.changed();
    } catch (error) {
      toast(error.message, "error");
    }
  }

  // What the correction changed: this sentence, and others of this session that share a phrase with it.
  async function showChanges(made, line, seen) {
    const others = seen.filter(([source]) => source !== line.source);
    const now = others.length ? (await service.translate({ system: context.system(), text: others.map(([source]) => source) })).translations : [];
    const rows = [[line.source, line.text, made.target], ...now.map((one, at) => [one.source, others[at][1], one.text])]
      .filter(([, before, after]) => before !== after);
    now.forEach(remember);
    changes.hidden = false;
    replace(changes,
      h("header", {}, h("h2", {}, "Corrected. What changed:"),
        h("button", { type: "button", onclick: () => takeBack(made) }, "Take back")),
      rows.length
        ? h("ul", {}, rows.map(([source, before, after]) => h("li", {}, text(source, { class: "source" }), differences(wordDifferences(before, after)))))
        : h("p", { class: "empty" }, "The translation was like this already."));
  }

  async function takeBack(made) {
    try {
      await service.undo(made.number, context.system());
      changes.hidden = true;
      await translate();
      context.changed();
      toast("The correction is taken back.");
    } catch (error) {
      toast(error.message, "error");
    }
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(lines.map((line) => line.text).join("\n"));
      toast("Copied.");
    } catch {
      toast("The browser does not allow copying here.", "error");
    }
  }

  // Examples and reasons of the active line.
  async function about() {
    const line = lines[active], turn = ++shown;
    if (!line?.source.trim()) return;
    const current = () => turn === shown;
    const asked = { system: context.system(), text: line.source };
    service.memory({ ...asked, size: 5 }).then((answer) => current() && replace(examples, answer.examples.length
      ? h("ol", {}, answer.examples.map((one) => h("li", {},
          h("div", { class: "row" }, differences(one.differences), h("span", { class: `badge ${one.origin}` }, one.origin === "correction" ? "correction" : percent(one.similarity))),
          text(one.target, { class: "translation", lang: context.codes().target }, "p"))))
      : h("p", { class: "empty" }, "No example shares enough words with it.")), () => current() && replace(examples));
    service.explain(asked).then((answer) => current() && replace(why, explanation(answer)),
      (error) => current() && replace(why, h("p", { class: "empty" }, error.message)));
  }

  const keys = (event) => {
    if (event.key === "F2" && lines.length && !editing) { event.preventDefault(); edit(); }
    if (event.key === "Escape") closeMenu();
  };
  const outside = (event) => { if (!event.target.closest?.(".menu, .word")) output.querySelector(".menu")?.remove(); };
  document.addEventListener("keydown", keys);
  document.addEventListener("pointerdown", outside);

  area.value = session.source;
  mark([]);
  queueMicrotask(() => { area.focus(); translate(); });
  return {
    element: view,
    leave() {
      document.removeEventListener("keydown", keys);
      document.removeEventListener("pointerdown", outside);
      changed.cancel();
      session.source = area.value;
      abort?.abort();
    },
  };
}
