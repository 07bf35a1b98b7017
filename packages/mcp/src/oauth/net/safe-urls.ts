/** Decides from the text of a URL alone whether a login may use it. Does not resolve hostnames. */
import { parseUrl } from "@plugboard/contracts";
import { hostnameKind } from "./address-kind.ts";

/**
 * Allows https, and http on this machine. Also allows http at the origin of `serverUrl`, the MCP server that the user
 * configured. Never allows credentials in the URL.
 */
export function isSafeEndpoint(endpoint: string | URL, serverUrl?: string | URL): boolean {
  const url = parseUrl(String(endpoint));
  if (!url || hasUrlCredentials(url)) return false;
  if (url.protocol === "https:") return true;
  if (url.protocol !== "http:") return false;
  return (
    hostnameKind(url.hostname) === "loopback" || (serverUrl !== undefined && new URL(serverUrl).origin === url.origin)
  );
}

/**
 * Returns whether a page may be opened in the user's browser. Rejects pages on this machine or in the local network,
 * because opening one may have effects there. Allows them if the MCP server is at the same kind of address.
 */
export function isSafeBrowserUrl(pageUrl: string, serverUrl: string): boolean {
  if (!isSafeEndpoint(pageUrl, serverUrl)) return false;
  const [page, server] = [new URL(pageUrl), new URL(serverUrl)];
  const kind = hostnameKind(page.hostname);
  if (kind === undefined || kind === "public" || page.origin === server.origin) return true;
  return kind !== "special" && kind === hostnameKind(server.hostname);
}

export function hasUrlCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}
