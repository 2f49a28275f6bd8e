// The reference of the REST interface, drawn from the OpenAPI description of the service itself.

import { h, replace } from "./dom.js";

const main = document.getElementById("main");

function resolve(schema, all) {
  if (!schema?.$ref) return schema ?? {};
  return resolve(all.components.schemas[schema.$ref.split("/").at(-1)], all);
}

function kind(schema, all) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map((one) => kind(one, all)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(", ");
  if (schema.type === "array") return schema.prefixItems ? `[${schema.prefixItems.map((one) => kind(one, all)).join(", ")}]` : `list of ${kind(schema.items ?? {}, all)}`;
  return schema.type ?? "any";
}

// Text with `code` in it.
const prose = (words) => words.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));
const needed = () => h("span", { class: "help" }, " required");

function fields(schema, all, asked) {
  const { properties = {}, required = [] } = resolve(schema, all);
  const rows = Object.entries(properties);
  return rows.length ? h("table", { class: "plain" }, h("tbody", {}, rows.map(([name, one]) => h("tr", {},
    h("td", {}, h("code", {}, name), asked && required.includes(name) ? needed() : null), h("td", {}, kind(one, all)),
    h("td", {}, prose(one.description ?? ""), one.default !== undefined && one.default !== null ? h("span", { class: "help" }, ` default ${JSON.stringify(one.default)}`) : null))))) : null;
}

function operation(path, method, one, all) {
  const body = one.requestBody?.content?.["application/json"];
  const answer = one.responses?.["200"]?.content ?? {};
  const example = body?.example ?? resolve(body?.schema, all).examples?.at(-1);
  return h("section", { class: "card" },
    h("h2", {}, h("span", { class: "badge draft" }, method.toUpperCase()), " ", h("code", {}, path)),
    h("p", {}, one.summary ?? ""), one.description ? h("p", { class: "help" }, prose(one.description)) : null,
    one.parameters?.length ? [h("h3", {}, "Parameters"), h("table", { class: "plain" }, h("tbody", {}, one.parameters.map((given) => h("tr", {},
      h("td", {}, h("code", {}, given.name), given.required ? needed() : null), h("td", {}, kind(given.schema, all)), h("td", {}, prose(given.description ?? given.schema?.description ?? ""))))))] : null,
    body ? [h("h3", {}, "Request"), fields(body.schema, all, true)] : one.requestBody ? [h("h3", {}, "Request"), h("p", {}, "The bytes of the file.")] : null,
    example ? h("pre", { class: "command" }, h("code", {}, `curl ${location.origin}${path} --json '${JSON.stringify(example)}'`)) : null,
    Object.entries(answer).map(([type, given]) => [h("h3", {}, `Answer (${type})`), fields(given.schema, all, false)]));
}

const all = await (await fetch("/openapi.json")).json();
replace(main, h("h1", { class: "visually-hidden" }, "REST interface"),
  h("section", { class: "card" }, h("h2", {}, `${all.info.title} ${all.info.version}`), h("p", {}, prose(all.info.description))),
  Object.entries(all.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => operation(path, method, one, all))));
