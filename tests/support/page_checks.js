// Evaluated in the page by its tests: what people cannot read or name.
() => {
  const parse = (color) => {
    const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const linear = (one) => (one / 255 <= 0.03928 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ({ r, g, b }) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (/^rgb/.test(color) && parse(color).a === 1) return parse(color);
    }
    return { r: 255, g: 255, b: 255 };
  };
  const unseen = "[aria-hidden=true], :disabled, .visually-hidden, .skip, option";
  const unreadable = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    if (!own || element.closest(unseen) || !element.getBoundingClientRect().width) continue;
    if (style.visibility === "hidden" || !/^rgb/.test(style.color) || parse(style.color).a === 0) continue;
    const [a, b] = [luminance(parse(style.color)), luminance(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700); // WCAG AA: 3 instead of 4.5
    if (contrast < (large ? 3 : 4.5))
      unreadable.push(`${contrast.toFixed(2)} ${element.className || element.tagName} ${element.textContent.slice(0, 30)}`);
  }
  const controls = [...document.querySelectorAll("button, input, select, textarea, a, [role=grid]")];
  const unnamed = controls
    .filter((one) => one.offsetParent && !one.textContent.trim() && !one.getAttribute("aria-label"))
    .filter((one) => !(one.id && document.querySelector(`label[for='${one.id}']`)))
    .map((one) => one.outerHTML.slice(0, 80));
  const tooWide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return { unreadable, unnamed, tooWide };
}
