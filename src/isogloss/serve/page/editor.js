// A field for a translation that shows, in gray, how the engine would go on. Tab takes the next word, End all of it.

import { debounce, h, replace, text } from "./dom.js";
import * as service from "./service.js";

let count = 0;

export function makeEditor({ label, source, system, value = "", oninput = () => {}, onaccept = () => {}, oncancel = () => {}, compact = false }) {
  const id = `editor-${++count}`;
  const typed = h("span", { class: "typed" });
  const hint = h("span", { class: "hint" });
  const mirror = h("div", { class: "mirror text", "aria-hidden": "true", dir: "auto" }, typed, hint);
  const area = h("textarea", { id, class: "text", dir: "auto", rows: 1, spellcheck: false, "aria-label": label, "aria-describedby": `${id}-help ${id}-hint` });
  const spoken = h("span", { class: "visually-hidden", id: `${id}-hint`, "aria-live": "polite" });
  const chips = h("div", { class: "chips", role: "group", "aria-label": "Other ways to go on" });
  const help = h("p", { class: compact ? "visually-hidden" : "help", id: `${id}-help` },
    h("kbd", {}, "Tab"), " next word  ", h("kbd", {}, "End"), " all  ", h("kbd", {}, "Alt"), "+", h("kbd", {}, "1"), "–", h("kbd", {}, "5"), " other word  ",
    h("kbd", {}, "Esc"), " no suggestion  ", h("kbd", {}, "Ctrl"), "+", h("kbd", {}, "Enter"), " accept");
  const box = h("div", { class: `editor ${compact ? "compact" : ""}` }, h("div", { class: "field" }, mirror, area), chips, help, spoken);

  let suggestion = "", others = [], abort = null;

  function show(completion, alternatives) {
    suggestion = completion;
    others = alternatives;
    typed.textContent = area.value;
    hint.textContent = completion || "\u200b";
    spoken.textContent = completion ? `Suggestion: ${completion}` : "";
    replace(chips, alternatives.map((one, place) =>
      h("button", { type: "button", class: "chip", tabindex: "-1", onclick: () => take(one.completion, one.text) },
        h("kbd", {}, place + 1), text(begunWord(one) + (one.text.trim() || one.completion.trim())))));
  }

  // The half-typed word that a way to go on completes.
  const begunWord = (one) => (/^\s/.test(one.completion) ? "" : /\S+$/.exec(area.value)?.[0] ?? "");

  const nextWord = (completion) => /^\s*\S+/.exec(completion)?.[0] ?? completion;

  // Takes the first words of a completion and keeps the rest as the suggestion, until the service has answered.
  function take(completion, words) {
    area.value += words;
    area.focus();
    area.setSelectionRange(area.value.length, area.value.length);
    show(completion.slice(words.length), []);
    oninput(area.value);
    ask();
  }

  const atEnd = () => area.selectionStart === area.value.length && area.selectionEnd === area.value.length;

  // The completion is asked for at once; other ways to go on only when the typing pauses, for they cost more.
  async function fetchCompletion(alternatives) {
    abort?.abort();
    others = [];
    if (!atEnd()) return show("", []);
    abort = new AbortController();
    const before = area.value;
    try {
      const answer = await service.complete({ system: system(), source: source(), typed: before, alternatives }, abort.signal);
      if (area.value !== before || !atEnd()) return;
      show(answer.completion, answer.alternatives);
      if (!alternatives) more();
    } catch (error) {
      if (error.name !== "AbortError") show("", []);
    }
  }
  const more = debounce(250, () => fetchCompletion(5));
  const soon = debounce(20, () => fetchCompletion(0));
  const ask = () => { more.cancel(); soon(); };
  ask.cancel = () => { more.cancel(); soon.cancel(); };

  area.addEventListener("input", () => {
    // What was suggested and then typed stays on the screen without waiting for the service.
    const grown = area.value.slice(typed.textContent.length);
    const follows = area.value.startsWith(typed.textContent) && suggestion.startsWith(grown);
    show(follows ? suggestion.slice(grown.length) : "", []);
    oninput(area.value);
    ask();
  });
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Tab" && !event.shiftKey && suggestion && atEnd()) {
      event.preventDefault();
      take(suggestion, nextWord(suggestion));
    } else if (event.key === "End" && suggestion && atEnd()) {
      event.preventDefault();
      take(suggestion, suggestion);
    } else if (event.altKey && /^[1-5]$/.test(event.key) && others[event.key - 1]) {
      event.preventDefault();
      const one = others[event.key - 1];
      take(one.completion, one.text);
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (suggestion) { ask.cancel(); abort?.abort(); show("", []); } else oncancel();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      onaccept(area.value);
    }
  });

  const set = (text, { suggest = false } = {}) => {
    area.value = text;
    show("", []);
    if (suggest) ask();
  };
  set(value);
  return {
    element: box,
    area,
    get value() { return area.value; },
    set,
    suggest: () => ask(),
    focus() {
      area.focus();
      area.setSelectionRange(area.value.length, area.value.length);
    },
  };
}
