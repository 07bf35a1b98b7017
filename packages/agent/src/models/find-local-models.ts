/** Finds model servers on this machine: those that answer on the usual loopback port of their kind. */
import { isJsonObject, parseUrl } from "@plugboard/contracts";
import { PROVIDERS } from "./providers.ts";

export interface LocalModels {
  readonly provider: string;
  readonly baseUrl: string;
  /** As `provider/model`. */
  readonly models: readonly string[];
}

export interface FindLocalOptions {
  /** The time for all servers together, by default 300 ms. */
  readonly timeoutMs?: number;
  /**
   * The base URLs by provider, by default those of the providers with a loopback URL. URLs of other machines are
   * ignored.
   */
  readonly urls?: { readonly [provider: string]: string };
  readonly fetch?: typeof globalThis.fetch;
}

/** Larger answers are no list of models. */
const MAX_CHARACTERS = 1_000_000;

/** Never throws. Returns the servers in the order of the providers. */
export async function findLocalModels(options: FindLocalOptions = {}): Promise<LocalModels[]> {
  const { timeoutMs = 300, urls = usualUrls(), fetch = globalThis.fetch } = options;
  const signal = AbortSignal.timeout(timeoutMs);
  const local = Object.entries(urls).filter(([, url]) => isLoopback(url));
  const found = await Promise.all(
    local.map(async ([provider, baseUrl]) => {
      const names = await listModels(baseUrl, fetch, signal);
      return { provider, baseUrl, models: names.map((name) => `${provider}/${name}`) };
    }),
  );
  return found.filter(({ models }) => models.length > 0);
}

/** Returns an empty list if the port is closed, or if the program behind it is no model server or too slow. */
async function listModels(baseUrl: string, fetch: typeof globalThis.fetch, signal: AbortSignal): Promise<string[]> {
  try {
    const response = await fetch(`${baseUrl}/models`, { signal, redirect: "error" });
    if (!response.ok || !response.body) return [];
    const list: unknown = JSON.parse(await readText(response.body));
    const data = isJsonObject(list) && Array.isArray(list["data"]) ? list["data"] : [];
    return data.flatMap((one) => (isJsonObject(one) && typeof one["id"] === "string" ? [one["id"]] : []));
  } catch {
    return [];
  }
}

async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_CHARACTERS) throw new Error("the answer is too large");
  }
  return text + decoder.decode();
}

function usualUrls(): { [provider: string]: string } {
  return Object.fromEntries(
    Object.entries(PROVIDERS).flatMap(([name, { url }]) => (url !== undefined && isLoopback(url) ? [[name, url]] : [])),
  );
}

function isLoopback(url: string): boolean {
  const host = parseUrl(url)?.hostname;
  return host === "127.0.0.1" || host === "[::1]" || host === "localhost";
}
