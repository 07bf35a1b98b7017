/** Validates URLs. Each function returns an error message, or undefined if the URL is valid. */
import { describeUrls, hasProtocolOf, parseUrl } from "@plugboard/contracts";
import type { TransportName } from "@plugboard/contracts";

/** Allows a user name and password, which are sent as Basic authentication. */
export function validateServerUrl(text: string, transport: TransportName): string | undefined {
  return hasProtocolOf(transport, text) ? undefined : `must be ${describeUrls(transport)}`;
}

/** Validates a URL that receives credentials. */
export function validateLoginUrl(text: string): string | undefined {
  const urlError = validateServerUrl(text, "http");
  if (urlError !== undefined) return urlError;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || LOOPBACK.test(hostname)
    ? undefined
    : "must be https; http is allowed only on this machine";
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Validates the URL of a client metadata document, which serves as the client id. */
export function validateClientMetadataUrl(text: string): string | undefined {
  const { protocol, pathname } = parseUrl(text) ?? {};
  return protocol === "https:" && pathname !== "/" ? undefined : "must be an https URL with a path";
}
