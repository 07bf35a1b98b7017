/**
 * Which addresses a login may go to: `https`, and `http` only where nobody is in
 * between, on this machine, or where the server itself is spoken to that way.
 */

import { parseUrl } from "@plugboard/contracts";
import { hostnameKind } from "./address-kind.ts";

/** `own`: an address of the server, which the user has chosen. */
export function isSafeEndpoint(endpoint: string, serverUrl?: string): boolean {
  const url = parseUrl(endpoint);
  if (!url || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  if (url.protocol !== "http:") return false;
  return isLoopback(url.hostname) || (serverUrl !== undefined && new URL(serverUrl).origin === url.origin);
}

/**
 * Whether a page may be opened in the user's browser: not if it is on this machine or in this network, whose pages do
 * things when they are opened, unless the server is there itself. By what can be seen in it.
 */
export function isSafeBrowserUrl(pageUrl: string, serverUrl: string): boolean {
  if (!isSafeEndpoint(pageUrl, serverUrl)) return false;
  const [page, server] = [new URL(pageUrl), new URL(serverUrl)];
  const kind = hostnameKind(page.hostname);
  if (kind === undefined || kind === "public" || page.origin === server.origin) return true;
  return kind !== "special" && kind === hostnameKind(server.hostname);
}

/** By name: what it resolves to is for whoever connects to find out. */
function isLoopback(hostname: string): boolean {
  return /^(?:localhost|(?:.*\.)localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
