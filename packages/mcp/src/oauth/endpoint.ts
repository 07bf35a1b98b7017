/**
 * Which addresses a login may go to: `https`, and `http` only where nobody is in
 * between, on this machine, or where the server itself is spoken to that way.
 */

/** `own`: an address of the server, which the user has chosen. */
export function isSafeEndpoint(address: string, own?: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  if (url.protocol !== "http:") return false;
  return isLoopback(url.hostname) || (own !== undefined && new URL(own).origin === url.origin);
}

/** By name: what it resolves to is for whoever connects to find out. */
function isLoopback(hostname: string): boolean {
  return /^(?:localhost|(?:.*\.)localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
