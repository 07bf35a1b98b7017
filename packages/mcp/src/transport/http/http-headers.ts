/** Merges HTTP headers. Names are case-insensitive; later values override earlier ones. */
import type { WireHeaders } from "../../wire/transport.ts";

export function mergeHeaders(...layers: readonly (WireHeaders | false | undefined)[]): WireHeaders {
  const merged: { [name: string]: string } = {};
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer || {})) merged[name.toLowerCase()] = value;
  }
  return merged;
}

/** Merges two layers. `base` must come from `mergeHeaders`. */
export function overrideHeaders(base: WireHeaders, overrides: WireHeaders): WireHeaders {
  const merged: { [name: string]: string } = { ...base };
  for (const name of Object.keys(overrides)) merged[name.toLowerCase()] = overrides[name]!;
  return merged;
}

/** Returns the Basic authorization header for credentials in a URL. */
export function basicAuthFromUrl({ username, password }: URL): WireHeaders {
  if (username === "" && password === "") return {};
  const pair = `${decodePercent(username)}:${decodePercent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Returns the text unchanged if a percent sign in it is invalid. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
