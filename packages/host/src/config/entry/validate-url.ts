/** What is wrong with a text that should be a URL. */
import { parseUrl } from "@plugboard/contracts";
import type { TransportName } from "@plugboard/contracts";

/** Of a server. A user in it is fine: it is sent as Basic authentication. */
export function validateServerUrl(text: string, transport: TransportName): string | undefined {
  const protocol = parseUrl(text)?.protocol;
  if (transport === "websocket") {
    return protocol === "ws:" || protocol === "wss:" ? undefined : "must be a ws(s) URL";
  }
  return protocol === "http:" || protocol === "https:" ? undefined : "must be an http(s) URL";
}

/** Of an address to which a login's secrets go. */
export function validateLoginUrl(text: string): string | undefined {
  const wrong = validateServerUrl(text, "http");
  if (wrong !== undefined) return wrong;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || LOOPBACK.test(hostname)
    ? undefined
    : "must be https; http is fine only on this machine";
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Of a document that others fetch: its address is the name of the client. */
export function validateClientMetadataUrl(text: string): string | undefined {
  const { protocol, pathname } = parseUrl(text) ?? {};
  return protocol === "https:" && pathname !== "/" ? undefined : "must be an https URL with a path";
}
