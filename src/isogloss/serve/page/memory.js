// The view Memory and terms: search examples, edit and take back corrections, keep terms.

import { debounce, differences, h, percent, replace, text, toast } from "./dom.js";
import * as service from "./service.js";

export function memoryView(context) {
  const found = h("div", { class: "examples" }, h("p", { class: "empty" }, "Type a few words to find similar examples of the training text and corrections."));
  const search = h("input", { type: "search", class: "text wide", dir: "auto", "aria-label": "Find examples", placeholder: "Find examples like…" });
  const list = h("div", { class: "list" });
  const filter = h("input", { type: "search", class: "text", dir: "auto", "aria-label": "Filter corrections", placeholder: "Filter" });
  const terms = h("div", { class: "list" });
  const term = h("input", { class: "text", dir: "auto", "aria-label": "Term", placeholder: "Term", maxlength: 500, required: true });
  const translation = h("input", { class: "text", dir: "auto", "aria-label": "Translation of the term", placeholder: "Translation (empty: keep the term)", maxlength: 500 });
  const locked = context.readOnly();

  const view = h("div", { class: "memory" },
    h("h1", { class: "visually-hidden" }, "Memory and terms"),
    h("section", { class: "card", "aria-label": "Memory" }, h("h2", {}, "Memory"), search, found),
    h("div", { class: "columns" },
      h("section", { class: "card", "aria-label": "Corrections" }, h("header", {}, h("h2", {}, "Corrections"), filter), list),
      h("section", { class: "card", "aria-label": "Terms" }, h("h2", {}, "Terms"),
        h("p", { class: "help" }, "A term always gets its translation. Terms are stored with the engine, in ", h("code", {}, "terms.tsv"), "."),
        locked ? null : h("form", { class: "inline", onsubmit: addTerm }, term, translation, h("button", { class: "primary" }, "Add")), terms)));

  search.addEventListener("input", debounce(150, async () => {
    if (!search.value.trim()) return replace(found);
    try {
      const answer = await service.memory({ system: context.system(), text: search.value, size: 20, min_similarity: 0.05 });
      replace(found, answer.examples.length ? h("ol", {}, answer.examples.map((one) => h("li", {},
        h("div", { class: "row" }, differences(one.differences), h("span", { class: `badge ${one.origin}` }, one.origin === "correction" ? "correction" : percent(one.similarity))),
        pair(one)))) : h("p", { class: "empty" }, "No example shares enough words with it."));
    } catch (error) {
      replace(found, h("p", { class: "problem" }, error.message));
    }
  }));
  filter.addEventListener("input", debounce(150, corrections));

  // A translation that can be changed in place; the change is a correction of its source.
  function pair(one) {
    const shown = text(one.target, { class: "translation", lang: context.codes().target }, "p");
    if (locked) return shown;
    const box = h("div", { class: "pair" }, shown, h("button", { type: "button", class: "quiet small", "aria-label": `Edit the translation of ${one.source}`, onclick: edit }, "Edit"));
    function edit() {
      const area = h("textarea", { class: "text", dir: "auto", rows: 2, "aria-label": `Translation of: ${one.source}` }, one.target);
      const save = async () => {
        if (!area.value.trim() || area.value === one.target) return replace(box, shown);
        try {
          await service.correct({ system: context.system(), source: one.source, target: area.value });
          toast("Corrected; it holds from now on.");
          context.changed();
          await corrections();
          if (box.isConnected) { one.target = area.value; replace(box, pair(one)); }
        } catch (error) {
          toast(error.message, "error");
        }
      };
      area.addEventListener("keydown", (event) => {
        if (event.key === "Escape") { event.stopPropagation(); replace(box, pair(one)); }
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
      });
      replace(box, area, h("div", { class: "buttons" }, h("button", { type: "button", class: "primary small", onclick: save }, "Correct"), h("button", { type: "button", class: "quiet small", onclick: () => replace(box, pair(one)) }, "Cancel")));
      area.focus();
    }
    return box;
  }

  async function corrections() {
    try {
      const answer = await service.corrections({ system: context.system(), search: filter.value });
      replace(list,
        answer.note && answer.total ? h("p", { class: "notice" }, answer.note) : null,
        answer.corrections.length ? h("ul", {}, answer.corrections.map((one) => h("li", {},
          h("div", { class: "row" }, text(one.source, { class: "source" }), h("time", { class: "help", datetime: new Date(one.date * 1000).toISOString() }, new Date(one.date * 1000).toLocaleDateString())),
          pair(one),
          locked ? null : h("button", { type: "button", class: "quiet small", onclick: () => takeBack(one) }, "Take back"))))
          : h("p", { class: "empty" }, filter.value ? "No correction contains this." : "No corrections yet. Correct a translation in the view Translate."),
        answer.total > answer.corrections.length ? h("p", { class: "help" }, `The newest ${answer.corrections.length} of ${answer.total}.`) : null);
    } catch (error) {
      replace(list, h("p", { class: "problem" }, error.message));
    }
  }

  async function takeBack(one) {
    try {
      await service.undo(one.number, context.system());
      context.changed();
      await corrections();
      toast("The correction is taken back.", "info", {
        name: "Undo",
        run: async () => { await service.correct({ system: context.system(), source: one.source, target: one.target }); context.changed(); corrections(); },
      });
    } catch (error) {
      toast(error.message, "error");
    }
  }

  async function showTerms(answer) {
    try {
      answer ??= await service.terms(context.system());
      replace(terms, answer.terms.length ? h("table", { class: "plain" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Term"), h("th", { scope: "col" }, "Translation"), h("th", {}, h("span", { class: "visually-hidden" }, "Actions")))),
        h("tbody", {}, answer.terms.map((one) => h("tr", {},
          h("td", {}, text(one.term)), h("td", {}, one.translation === null ? h("em", {}, "kept as it is") : text(one.translation)),
          h("td", { class: "buttons" }, locked ? null : [
            h("button", { type: "button", class: "quiet small", onclick: () => { term.value = one.term; translation.value = one.translation ?? ""; translation.focus(); } }, "Edit"),
            h("button", { type: "button", class: "quiet small", onclick: () => removeTerm(one) }, "Remove")])))))
        : h("p", { class: "empty" }, "No terms yet."));
    } catch (error) {
      replace(terms, h("p", { class: "problem" }, error.message));
    }
  }

  async function addTerm(event) {
    event.preventDefault();
    try {
      const answer = await service.setTerm({ system: context.system(), term: term.value.trim(), translation: translation.value.trim() || null });
      term.value = translation.value = "";
      term.focus();
      context.changed();
      showTerms(answer);
    } catch (error) {
      toast(error.message, "error");
    }
  }

  async function removeTerm(one) {
    try {
      showTerms(await service.removeTerm(one.term, context.system()));
      context.changed();
    } catch (error) {
      toast(error.message, "error");
    }
  }

  queueMicrotask(() => { search.focus(); corrections(); showTerms(); });
  return { element: view, leave() {} };
}
