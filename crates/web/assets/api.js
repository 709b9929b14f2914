// Requests to the server. Errors become sentences; a bar at the top shows slow requests.

import { token, askForToken } from "./token.js";

/** Error answer of the server. */
export class ApiError extends Error {
  constructor(status, code, message, findings = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.findings = findings;
  }
}

let underway = 0;
let timer = null;

function busy(change) {
  underway += change;
  const bar = document.getElementById("progress");
  if (underway > 0 && !timer) timer = setTimeout(() => { bar.hidden = false; }, 300);
  if (underway === 0) {
    clearTimeout(timer);
    timer = null;
    bar.hidden = true;
  }
}

async function request(method, path, body, { signal, quiet } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const known = token();
  if (known && method !== "GET") headers.Authorization = `Bearer ${known}`;
  if (!quiet) busy(1);
  try {
    const answer = await fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
    const data = await answer.json().catch(() => null);
    if (answer.ok) return data;
    if (answer.status === 401 && await askForToken(Boolean(known))) return await request(method, path, body, { signal, quiet });
    const error = data?.error;
    throw new ApiError(answer.status, error?.code, error?.message ?? `The server answered with status ${answer.status} and no message.`, error?.findings);
  } catch (error) {
    if (error instanceof ApiError || error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "The server cannot be reached. Check that it is running, then try again.");
  } finally {
    if (!quiet) busy(-1);
  }
}

export const get = (path, options) => request("GET", path, undefined, options);
export const post = (path, body, options) => request("POST", path, body, options);

/** Listens to server-sent events until `close` is called or `end` arrives. `lost(isLost)` reports the connection. */
export function listen(path, handlers, lost = () => {}) {
  const source = new EventSource(path);
  for (const [name, handler] of Object.entries(handlers)) {
    source.addEventListener(name, (event) => {
      lost(false);
      handler(JSON.parse(event.data));
      if (name === "end") source.close();
    });
  }
  source.addEventListener("open", () => lost(false));
  source.addEventListener("error", () => { if (source.readyState !== EventSource.CLOSED) lost(true); });
  return () => source.close();
}

const store = new Map();

/** Fetches an answer once; for answers that do not change while the page is open. */
export function once(path) {
  if (!store.has(path)) {
    const answer = get(path);
    store.set(path, answer);
    answer.catch(() => store.delete(path));
  }
  return store.get(path);
}

/** Removes an answer, so that it is fetched again. */
export function forget(path) {
  store.delete(path);
}
