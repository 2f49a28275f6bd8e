// Charts as SVG, drawn with the colors of the page.

import { h, number, svg, text } from "./dom.js";

export function lineChart(title, points, { unit = "", best = null } = {}) {
  const [width, height, left, bottom, top, right] = [520, 220, 52, 30, 14, 14];
  const values = points.map((point) => point.y);
  let low = Math.min(...values), high = Math.max(...values);
  if (high - low < 1e-9) { low -= 0.5; high += 0.5; }
  const pad = (high - low) * 0.12;
  [low, high] = [low - pad, high + pad];
  const last = Math.max(1, points.length - 1);
  const x = (at) => left + (at / last) * (width - left - right);
  const y = (value) => top + (1 - (value - low) / (high - low)) * (height - top - bottom);
  const ticks = [0, 0.5, 1].map((share) => low + pad + share * (high - low - 2 * pad));
  return h("figure", { class: "chart" },
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}: ${points.map((one) => `${one.x}: ${number(one.y)}`).join(", ")}` },
      ticks.map((value) => [svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
        svg("text", { class: "tick", x: left - 8, y: y(value) + 4, "text-anchor": "end" }, number(value, 1))]),
      svg("polyline", { class: "curve", points: points.map((one, at) => `${x(at)},${y(one.y)}`).join(" ") }),
      points.map((one, at) => svg("circle", { class: at === best ? "dot best" : "dot", cx: x(at), cy: y(one.y), r: at === best ? 6 : 3.5 }, svg("title", {}, `${one.x}: ${number(one.y)}${unit}`))),
      points.map((one, at) => (points.length < 16 || at % Math.ceil(points.length / 12) === 0) ? svg("text", { class: "tick", x: x(at), y: height - 8, "text-anchor": "middle" }, one.x) : null)),
    h("figcaption", {}, title));
}

export function barTable(title, rows, digits = 3) {
  // One weight that is far larger than all others must not make the others invisible: its bar is cut.
  const sizes = rows.map(([, value]) => Math.abs(value)).sort((a, b) => b - a);
  const most = Math.max(sizes[0] > 4 * (sizes[1] ?? Infinity) ? 1.5 * sizes[1] : sizes[0] ?? 0, 1e-12);
  return h("table", { class: "bars" }, h("caption", {}, title), h("tbody", {}, rows.map(([name, value]) => h("tr", {},
    h("th", { scope: "row" }, text(name)),
    h("td", { class: "bar" }, h("span", { class: value >= 0 ? "good" : "bad", style: { width: `${Math.min(1, Math.abs(value) / most) * 50}%`, [value >= 0 ? "left" : "right"]: "50%" } })),
    h("td", { class: "points" }, number(value, digits))))));
}
