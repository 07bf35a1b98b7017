/** Which URLs a login may use, by what can be seen in them. Pure. */
import { parseUrl } from "@plugboard/contracts";
import { hostnameKind } from "./address-kind.ts";

/** Where an authorization server may have us go: by https, or by http on this machine; or to where the MCP server itself is. */
export function isAllowedEndpoint(url: URL, serverUrl: URL): boolean {
  return (
    !hasUrlCredentials(url) && (isSecureOrLocal(url) || (url.protocol === "http:" && url.origin === serverUrl.origin))
  );
}

/** Where a login may come back to. */
export function isAllowedRedirect(uri: string): boolean {
  const url = parseUrl(uri);
  return url !== undefined && !uri.includes("#") && !hasUrlCredentials(url) && isSecureOrLocal(url);
}

export function hasUrlCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

function isSecureOrLocal({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && hostnameKind(hostname) === "loopback");
}
