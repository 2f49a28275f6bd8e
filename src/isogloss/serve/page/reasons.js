// Why a sentence got its translation: the rules as a tree, the features as bars against the second best.

import { h, number, text } from "./dom.js";

const SHOWN = 12;

// What the dense features say, for people who do not know their names; the name itself is the tooltip.
const MEANINGS = {
  lm: "fluency (language model)", words: "length", rules: "number of rules", unknown: "unknown words",
  insertions: "words added", deletions: "words left out", reordering: "reordering", backtrack: "distance of reordering",
  distance_rule: "distance of reordering (rules)", distance_glue: "distance of reordering (glue)",
  target_given_source: "translation is usual", source_given_target: "source is usual for it",
  target_given_source_lexical: "words fit the source", source_given_target_lexical: "source words fit it",
};

export function explanation(answer) {
  return h("div", {},
    answer.match ? h("p", { class: "notice" }, answer.match === "near" ? "The translation of a similar text is used, edited. " : "A known translation is returned as it is. ",
      "The search alone would say: ", text(answer.text)) : null,
    h("h3", {}, "Rules"),
    tree(answer),
    h("h3", {}, answer.second ? "Features, against the second best" : "Features"),
    answer.second ? h("p", { class: "second" }, h("span", { class: "label" }, "Second best "), text(answer.second_text),
      h("span", { class: "score" }, ` ${number(answer.score - answer.second_score, 3)} points behind`)) : null,
    bars(answer));
}

// Steps come in the order of their target words; a step belongs to the smallest gap around it.
function tree(answer) {
  const steps = answer.derivation.map((step) => ({ ...step, children: [] }));
  const width = ([from, to]) => to - from;
  const roots = [];
  for (const step of steps) {
    const parents = steps.filter((other) => other !== step &&
      other.gaps.some(([from, to]) => from <= step.source_span[0] && step.source_span[1] <= to));
    parents.sort((a, b) => width(a.source_span) - width(b.source_span));
    (parents[0]?.children ?? roots).push(step);
  }
  const gaps = (side) => side.split(" ").map((word, at) => {
    const gap = /^\[X,(\d)\]$/.exec(word);
    return [at ? " " : "", gap ? h("span", { class: "gap" }, `□${gap[1] === "1" ? "₁" : "₂"}`) : word];
  });
  const kinds = {
    unknown: "unknown word", fixed: "given", split: "part of a word", related: "related form", dictionary: "dictionary",
    rewritten: "rewritten",
  };
  const item = (step) => h("li", {},
    h("span", { class: `rule ${step.origin}` },
      h("span", { class: "text", dir: "auto" }, gaps(step.source)), h("span", { class: "arrow", "aria-label": "becomes" }, "→"),
      h("span", { class: "text", dir: "auto" }, gaps(step.target)),
      kinds[step.origin] ? h("span", { class: "badge" }, kinds[step.origin]) : null,
      step.kind.startsWith("glue") ? h("span", { class: "badge plain" }, "glue") : null),
    step.children.length ? h("ul", {}, step.children.map(item)) : null);
  return h("ul", { class: "tree" }, roots.map(item));
}

function bars(answer) {
  const value = (row) => (answer.second ? row.advantage : row.points);
  const rows = [...answer.dense, ...answer.sparse].filter((row) => value(row) !== 0)
    .sort((a, b) => Math.abs(value(b)) - Math.abs(value(a))).slice(0, SHOWN);
  if (!rows.length) return h("p", { class: "empty" }, "No feature tells the two apart.");
  const most = Math.max(...rows.map((row) => Math.abs(value(row))));
  return h("table", { class: "bars" },
    h("caption", { class: "visually-hidden" }, "Features and their points"),
    h("tbody", {}, rows.map((row) => {
      const size = `${(Math.abs(value(row)) / most) * 50}%`, good = value(row) > 0;
      return h("tr", {},
        h("th", { scope: "row", title: MEANINGS[row.name] ? row.name : undefined }, text(MEANINGS[row.name] ?? row.name)),
        h("td", { class: "bar" }, h("span", { class: good ? "good" : "bad", style: { width: size, [good ? "left" : "right"]: "50%" } })),
        h("td", { class: "points" }, (good ? "+" : "") + number(value(row), 3)));
    })));
}
