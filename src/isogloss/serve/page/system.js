// The view System: how an engine was made, what it has learned, and a comparison with another one.

import { barTable, lineChart } from "./charts.js";
import { count, differences, h, number, replace, text, toast, wordDifferences } from "./dom.js";
import * as service from "./service.js";

export function systemView(context) {
  const view = h("div", { class: "system" }, h("h1", { class: "visually-hidden" }, "System"), h("p", { class: "busy" }, "Loading…"));

  async function load() {
    try {
      const facts = await service.system(context.system());
      replace(view, h("h1", { class: "visually-hidden" }, "System"),
        summary(facts),
        verdict(facts),
        h("div", { class: "columns" }, scores(facts), curve(facts)),
        retrain(facts),
        comparison(context),
        Object.keys(facts.strongest).length ? h("div", { class: "columns" }, weights(facts), strongest(facts)) : weights(facts),
        making(facts));
    } catch (error) {
      replace(view, h("p", { class: "problem", role: "alert" }, error.message));
    }
  }

  queueMicrotask(load);
  return { element: view, leave() {} };
}

const size = (bytes) => (bytes > 1e9 ? `${number(bytes / 1e9, 1)} GB` : `${number(bytes / 1e6, 1)} MB`);
const card = (title, ...content) => h("section", { class: "card", "aria-label": title }, h("h2", {}, title), content);

function summary(facts) {
  const cleaning = facts.training.cleaning ?? {};
  const pairs = cleaning.kept ?? cleaning.pairs;
  const tiles = [
    ["Languages", `${facts.source_language} → ${facts.target_language}`],
    ["Search", facts.options.hierarchical === false ? "phrase-based" : "hierarchical"],
    pairs ? ["Training pairs", count(pairs)] : null,
    ["Size", size(facts.bytes)],
    facts.sparse_features ? ["Sparse features", count(facts.sparse_features)] : null,
    ["Corrections", count(facts.corrections)],
    ["Terms", count(facts.terms)],
    ["Made by", facts.made_by],
  ].filter(Boolean);
  return h("dl", { class: "tiles" }, tiles.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

// How good the engine is, against a translation memory on the same strings, and what would help.
function verdict(facts) {
  const found = facts.training.verdict;
  if (!found?.headline) return null;
  const names = { all: "all strings", similar: "like a training string", other: "the rest" };
  const score = (one) => (one ? `${number(one.score, 1)} (${number(one.low, 0)} to ${number(one.high, 0)})` : "–");
  const rows = Object.entries(found.parts ?? {}).flatMap(([part, one]) => [["engine", one.engine], ["translation memory", one.memory]].map(([system, judged]) => [
    names[part] ?? part, count(one.strings), system, `${Math.round((100 * judged.right) / Math.max(1, one.strings))} %`, score(judged.scores.chrF2), score(judged.scores.BLEU)]));
  const list = (title, lines) => (lines?.length ? [h("h3", {}, title), h("ul", { class: "advice" }, lines.map((line) => h("li", {}, line)))] : null);
  return card("Verdict", h("p", { class: "headline" }, found.headline),
    rows.length ? h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ["Strings", "Number", "System", "Right as they stand", "chrF (95%)", "BLEU (95%)"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)))))) : null,
    list("What would help", found.advice), list("Mind", found.warnings));
}

function scores(facts) {
  const results = facts.training.results ?? {};
  const rows = Object.entries(results).flatMap(([set, found]) => Object.entries(found.scores ?? {}).map(([metric, one]) => [set, found.sentences, metric, one]));
  return card("Scores", rows.length ? h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, ["Set", "Sentences", "Metric", "Score", "95% interval"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map(([set, sentences, metric, one]) => h("tr", {}, h("td", {}, set), h("td", {}, count(sentences ?? 0)), h("td", {}, metric),
      h("td", { class: "strong" }, number(one.score, 1)), h("td", {}, one.low === undefined || one.low === null ? (one.interval ? `${number(one.interval[0] ?? one.interval.low, 1)} to ${number(one.interval[1] ?? one.interval.high, 1)}` : "–") : `${number(one.low, 1)} to ${number(one.high, 1)}`)))))
    : h("p", { class: "empty" }, "This engine was stored without scores."));
}

function curve(facts) {
  const history = facts.training.history ?? {};
  const steps = history.iterations ?? [];
  const named = (method) => (method === "auto" ? null : method);
  const value = (row) => row.dev_score ?? row.score ?? row.objective;
  const points = steps.map((row, at) => ({ x: row.iteration ?? at + 1, y: value(row) })).filter((one) => Number.isFinite(one.y));
  const best = points.findIndex((one) => one.x === history.best);
  return card("Learning curve", points.length > 1 ? lineChart(`Score on the development set by iteration of ${named(history.method) ?? "tuning"}`, points, { best })
    : h("p", { class: "empty" }, named(history.method) ? `Tuned by ${history.method} in one step.` : "This engine was not tuned in iterations."));
}

function retrain(facts) {
  const offer = facts.retrain;
  if (!offer.possible) return null;
  const last = offer.last;
  const copy = () => navigator.clipboard.writeText(offer.command).then(() => toast("Copied."), () => toast("The browser does not allow copying here.", "error"));
  return card("Learning from corrections",
    h("p", {}, offer.enough
      ? `${count(facts.corrections)} corrections are enough to train the engine again. It keeps working meanwhile, and this service takes up the new engine by itself.`
      : `${count(facts.corrections)} of ${offer.wanted} corrections. They hold already; from ${offer.wanted} on it is worth training the engine again, so that rules, language model and weights learn from them.`),
    h("p", { class: "command" }, h("code", {}, offer.command), h("button", { type: "button", class: "small", onclick: copy }, "Copy")),
    last ? h("table", { class: "plain" }, h("caption", {}, `The last time, on ${count(last.held_out ?? 0)} corrections held out`),
      h("thead", {}, h("tr", {}, ["Metric", "Before", "After"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, Object.keys(last.before ?? {}).map((name) => h("tr", {}, h("td", {}, name === "right" ? "as corrected" : name), h("td", {}, number(last.before[name] * (name === "right" ? 100 : 1), 1)), h("td", { class: "strong" }, number(last.after[name] * (name === "right" ? 100 : 1), 1))))))
      : null);
}

function weights(facts) {
  const rows = Object.entries(facts.weights).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, 24);
  return card("Weights of dense features", barTable("", rows));
}

function strongest(facts) {
  const groups = Object.entries(facts.strongest);
  return card("Strongest sparse features", groups.map(([template, features]) => barTable(template, Object.entries(features))));
}

function making(facts) {
  const stages = facts.training.stages ?? [];
  if (!stages.length) return null;
  return card("How it was made", h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, ["Stage", "Time", "CPU time", "Memory"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, stages.map((one) => h("tr", {}, h("td", {}, one.stage), h("td", {}, `${number(one.wall_seconds ?? 0, 1)} s`), h("td", {}, `${number(one.cpu_seconds ?? 0, 1)} s`), h("td", {}, size(one.peak_bytes ?? 0)))))));
}

// Two engines on the same sentences: scores, significance, and the sentences that differ most.
function comparison(context) {
  const names = context.names();
  const options = (chosen) => names.map((name) => h("option", { value: name, selected: name === chosen }, name));
  const first = h("select", { id: "first", "aria-label": "Baseline" }, options(names[0]));
  const second = h("select", { id: "second", "aria-label": "Compared with it" }, options(names[1] ?? names[0]));
  const source = h("textarea", { class: "text", dir: "auto", rows: 5, id: "compare-source", placeholder: "One sentence per line" });
  const references = h("textarea", { class: "text", dir: "auto", rows: 5, id: "compare-references", placeholder: "Their translations, one per line" });
  const result = h("div", { "aria-live": "polite" });
  const button = h("button", { type: "button", class: "primary", onclick: run }, "Compare");

  async function run() {
    const lines = (area) => area.value.replace(/\n+$/, "").split("\n");
    const given = lines(source), known = lines(references);
    if (!source.value.trim() || given.length !== known.length)
      return replace(result, h("p", { class: "problem" }, `Give as many references (${known.length}) as sentences (${given.length}).`));
    button.disabled = true;
    try {
      const systems = {};
      for (const [at, name] of [first.value, second.value].entries()) {
        const label = first.value === second.value && at ? `${name} without known translations` : name;
        const found = await service.translateMany({ system: name, text: given, matches: first.value !== second.value || !at },
          (kind, event) => kind === "progress" && replace(result, h("p", { class: "busy" }, `${name}: ${event.done} of ${event.total}`)));
        systems[label] = found.map((one) => one.text);
      }
      const answer = await service.evaluate({ systems, references: known, worst: 10 });
      const labels = Object.keys(systems);
      replace(result,
        answer.warnings.map((one) => h("p", { class: "notice" }, one)),
        h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ["System", "Metric", "Score", "95% interval", "Difference", "p"].map((name) => h("th", { scope: "col" }, name)))),
          h("tbody", {}, answer.rows.map((row) => h("tr", {}, h("td", {}, text(row.system)), h("td", {}, row.metric), h("td", { class: "strong" }, number(row.score, 1)), h("td", {}, `${number(row.low, 1)} to ${number(row.high, 1)}`),
            h("td", {}, row.difference === null ? "" : (row.difference > 0 ? "+" : "") + number(row.difference, 1)), h("td", {}, row.p_value === null ? "" : number(row.p_value, 3)))))),
        h("h3", {}, "Sentences that differ most"),
        h("ul", { class: "differ" }, (answer.differences[labels[1]] ?? []).map((one) => h("li", {},
          text(given[one.line - 1] ?? "", { class: "source" }, "p"), differences(wordDifferences(one.baseline, one.system)),
          h("p", { class: "help" }, "Reference: ", text(one.references[0] ?? ""), `  (${number(one.baseline_score, 0)} → ${number(one.system_score, 0)})`)))));
    } catch (error) {
      replace(result, h("p", { class: "problem", role: "alert" }, error.message));
    } finally {
      button.disabled = false;
    }
  }

  return card("Compare two systems",
    h("p", { class: "help" }, names.length > 1 ? "Differences are tested by paired bootstrap." : "With one system, its translations are compared with those of the search alone, without corrections and exact matches. Start the service with two engines to compare them."),
    h("div", { class: "inline" }, first, h("span", {}, "and"), second),
    h("div", { class: "panes small" }, h("div", {}, h("label", { for: "compare-source" }, "Sentences"), source), h("div", {}, h("label", { for: "compare-references" }, "References"), references)),
    button, result);
}
