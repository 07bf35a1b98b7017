/** Headers of one request, whose names have no case: the later of two that differ only in case counts. */
import type { WireHeaders } from "../../wire/transport.ts";

export function mergeHeaders(...layers: readonly (WireHeaders | false | undefined)[]): WireHeaders {
  const merged: { [name: string]: string } = {};
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer || {})) merged[name.toLowerCase()] = value;
  }
  return merged;
}

/** The same of two, of which the lower one was made by `mergeHeaders`. */
export function overrideHeaders(base: WireHeaders, overrides: WireHeaders): WireHeaders {
  const merged: { [name: string]: string } = { ...base };
  for (const name of Object.keys(overrides)) merged[name.toLowerCase()] = overrides[name]!;
  return merged;
}

/** Credentials that are part of a URL, as the header they stand for. */
export function basicAuthFromUrl({ username, password }: URL): WireHeaders {
  if (username === "" && password === "") return {};
  const pair = `${decodePercent(username)}:${decodePercent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** A lone percent sign stands for itself. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
