// Small helpers to build the page. All text goes in as text nodes, so nothing that anybody typed is ever markup.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes ?? {}))
    if (value !== undefined && value !== null) element.setAttribute(name, value);
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
}

export const replace = (element, ...children) => {
  element.replaceChildren();
  add(element, children);
  return element;
};

// A text of any language, on its own: its direction and its bidi controls do not reach what stands around it.
export const text = (value, attributes = {}, tag = "span") =>
  h(tag, { dir: "auto", ...attributes, class: `text ${attributes.class ?? ""}` }, value);

export function toast(message, kind = "info", action) {
  const place = document.getElementById("toasts");
  const one = h("div", { class: `toast ${kind}` }, h("span", {}, message));
  if (action) one.append(h("button", { type: "button", onclick: () => { one.remove(); action.run(); } }, action.name));
  one.append(h("button", { type: "button", class: "close", "aria-label": "Dismiss", onclick: () => one.remove() }, "×"));
  place.append(one);
  setTimeout(() => one.remove(), kind === "error" ? 12000 : 6000);
}

export function debounce(wait, work) {
  let timer;
  const later = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), wait);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}

// A text with what differs: `same`, `more` and `less`, as the service says it. White space stays outside of the marks.
export const differences = (parts) =>
  h("span", { class: "diff text", dir: "auto" },
    parts.map(([kind, words]) => {
      if (kind === "same" || !words.trim()) return words;
      const [, before, word, after] = /^(\s*)(.*?)(\s*)$/s.exec(words);
      return [before, h(kind === "more" ? "ins" : "del", {}, word), after];
    }));

// Differences between two texts, word by word (longest common subsequence).
export function wordDifferences(before, after) {
  const a = before.split(/(\s+)/), b = after.split(/(\s+)/);
  if (a.length * b.length > 250000) return [["less", before], ["more", after]];
  const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const out = [];
  const push = (kind, word) => {
    if (out.length && out.at(-1)[0] === kind) out.at(-1)[1] += word;
    else out.push([kind, word]);
  };
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { push("same", a[i]); i++; j++; }
    else if (j >= b.length || (i < a.length && length[i + 1][j] >= length[i][j + 1])) push("less", a[i++]);
    else push("more", b[j++]);
  }
  return out;
}

export const percent = (value) => `${Math.round(value * 100)} %`;

export function confidence(value, match) {
  const known = match && match !== "near";
  const level = known ? "known" : value >= 0.7 ? "high" : value >= 0.5 ? "middle" : "low";
  const words = match === "correction" ? "correction" : known ? "exact match" : match ? `near match ${percent(value)}` : percent(value);
  return h("span", { class: `confidence ${level}`, title: known ? "A known translation" : match ? "The translation of a similar text, edited" : `Confidence ${percent(value)}` },
    h("span", { class: "meter", "aria-hidden": "true" }, h("span", { style: { width: `${Math.round((known ? 1 : value) * 100)}%` } })),
    h("span", { class: "value" }, words));
}

export const number = (value, digits = 2) =>
  value === null || value === undefined ? "–" : Number(value).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const count = (value) => Number(value).toLocaleString("en-US");
