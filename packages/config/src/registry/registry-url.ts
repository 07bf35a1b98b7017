/** The URLs of a registry's API. */
import { HostError, parseUrl } from "@plugboard/contracts";
import { validateLoginUrl } from "../entry/validate-url.ts";

/** The official registry of the Model Context Protocol. */
export const OFFICIAL_REGISTRY = "https://registry.modelcontextprotocol.io";

/** Checks the URL of a registry and removes a trailing slash or `/v0.1`. Throws USAGE. */
export function parseRegistryUrl(text: string): string {
  const url = parseUrl(text);
  const problem = url?.username || url?.password ? "must not contain credentials" : validateLoginUrl(text);
  if (!url || problem !== undefined) {
    throw new HostError("USAGE", { message: `the URL of the registry ${problem ?? "is not valid"}`, omitHelp: true });
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/v0(?:\.1)?$/, "");
}

/** Returns the URL of one page of a search. The registry matches the word with a part of the name. */
export function searchUrl(registry: string, word: string, pageSize: number, cursor: string | undefined): string {
  const query = new URLSearchParams({ search: word, version: "latest", limit: String(pageSize) });
  if (cursor !== undefined) query.set("cursor", cursor);
  return `${registry}/v0.1/servers?${query.toString()}`;
}

export function versionUrl(registry: string, name: string, version: string): string {
  return `${registry}/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
}
