// Calls of the service. A token, if one is needed, stays in this tab only.

const TOKEN = "isogloss-token";
let askToken = async () => null;

export const onTokenNeeded = (ask) => { askToken = ask; };

export class ServiceError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function request(method, path, { body, raw, signal } = {}) {
  const headers = {};
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (raw !== undefined) headers["Content-Type"] = "application/octet-stream";
  else if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: raw ?? (body === undefined ? undefined : JSON.stringify(body)), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServiceError(0, "offline", "The service cannot be reached. Is it still running?");
  }
  if (answer.status === 401) {
    const given = await askToken(Boolean(token));
    if (given) {
      sessionStorage.setItem(TOKEN, given);
      return request(method, path, { body, raw, signal });
    }
  }
  if (answer.ok) return answer;
  let error = { code: "error", message: `The service answered ${answer.status}.` };
  try { error = (await answer.json()).error ?? error; } catch { /* no JSON */ }
  throw new ServiceError(answer.status, error.code, error.message);
}

// The page says while it waits for an answer, in the attribute data-waiting of its body.
let waiting = 0;
async function awaited(work) {
  document.body.dataset.waiting = ++waiting;
  try {
    return await work;
  } finally {
    if (--waiting) document.body.dataset.waiting = waiting;
    else delete document.body.dataset.waiting;
  }
}

const json = (...given) => awaited(request(...given).then((answer) => answer.json()));
const query = (values) => {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
};

export const systems = () => json("GET", "/v1/systems");
export const system = (name) => json("GET", `/v1/systems/${encodeURIComponent(name)}`);
export const translate = (body, signal) => json("POST", "/v1/translate", { body, signal });
export const explain = (body, signal) => json("POST", "/v1/explain", { body, signal });
export const complete = (body, signal) => json("POST", "/v1/complete", { body, signal });
export const corrections = (values) => json("GET", `/v1/corrections${query(values)}`);
export const correct = (body) => json("POST", "/v1/corrections", { body });
export const undo = (number, name) => json("DELETE", `/v1/corrections/${number}${query({ system: name })}`);
export const memory = (body, signal) => json("POST", "/v1/memory/search", { body, signal });
export const terms = (name) => json("GET", `/v1/terms${query({ system: name })}`);
export const setTerm = (body) => json("POST", "/v1/terms", { body });
export const removeTerm = (term, name) => json("DELETE", `/v1/terms${query({ term, system: name })}`);
export const evaluate = (body) => json("POST", "/v1/evaluate", { body });
export const check = (body, signal) => json("POST", "/v1/check", { body, signal });
export const openCatalog = (name, raw, system) => json("POST", `/v1/catalog/open${query({ name, system })}`, { raw });
export const saveCatalog = (body) => awaited(request("POST", "/v1/catalog/save", { body }).then((answer) => answer.arrayBuffer()));

// Translates many texts; `progress` is called with each event of the stream.
export async function translateMany(body, progress, signal) {
  const answer = await request("POST", "/v1/translate/stream", { body, signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const found = [];
  let left = "";
  for (;;) {
    const { done, value } = await reader.read();
    left += value ?? "";
    const parts = left.split("\n\n");
    left = parts.pop();
    for (const part of parts) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
      if (!name) continue;
      const content = JSON.parse(data);
      if (name === "translation") found[content.number] = content;
      if (name === "error") throw new ServiceError(503, content.code, content.message);
      progress?.(name, content);
    }
    if (done) return found;
  }
}
