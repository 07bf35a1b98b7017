/**
 * Which addresses a login may go to: `https`, and `http` only where nobody is in
 * between, on this machine, or where the server itself is spoken to that way.
 */

import { parseUrl } from "@plugboard/contracts";
import { hostKind } from "./address-kind.ts";

/** `own`: an address of the server, which the user has chosen. */
export function isSafeEndpoint(address: string, own?: string): boolean {
  const url = parseUrl(address);
  if (!url || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  if (url.protocol !== "http:") return false;
  return isLoopback(url.hostname) || (own !== undefined && new URL(own).origin === url.origin);
}

/**
 * Whether a page may be opened in the user's browser: not if it is on this machine or in this network, whose pages do
 * things when they are opened, unless the server is there itself. By what can be seen in it.
 */
export function isSafePage(address: string, own: string): boolean {
  if (!isSafeEndpoint(address, own)) return false;
  const [page, server] = [new URL(address), new URL(own)];
  const kind = hostKind(page.hostname);
  if (kind === undefined || kind === "public" || page.origin === server.origin) return true;
  return kind !== "special" && kind === hostKind(server.hostname);
}

/** By name: what it resolves to is for whoever connects to find out. */
function isLoopback(hostname: string): boolean {
  return /^(?:localhost|(?:.*\.)localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
