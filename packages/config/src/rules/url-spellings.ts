/**
 * Lists the ways to write one URL, so that an `ask` or `deny` rule with the pattern `*://evil.com/*` also matches
 * `https://u@EVIL.com.:443?x`. Pure.
 */
import { parseUrl } from "@plugboard/contracts";
import { hostAndPort, looksLikeUrl, splitUrl } from "./url-pattern.ts";

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  "http:": ":80",
  "https:": ":443",
  "ws:": ":80",
  "wss:": ":443",
  "ftp:": ":21",
};

/**
 * Returns each spelling with a normalised host: with and without user info, default port, a lone `/` as path, and
 * percent-encoding. Returns none for a text that is not a URL, and undefined for a URL that can't be parsed.
 */
export function urlSpellings(text: string): readonly string[] | undefined {
  if (!looksLikeUrl(text)) return [];
  const url = parseUrl(text);
  if (!url) return undefined;
  const { protocol, username, password, hostname, port, pathname, search, hash } = url;
  if (!url.href.startsWith(`${protocol}//`)) return [];
  const userInfos = unique("", username || password ? `${username}:${password}@` : "", username && `${username}@`);
  const portSuffixes = port === "" ? unique("", DEFAULT_PORTS[protocol] ?? "") : [`:${port}`];
  const paths = pathname === "/" || pathname === "" ? ["", "/"] : [pathname];
  const tails = paths.flatMap((path) => unique(path + search + hash, percentDecoded(path + search + hash)));
  const host = withoutTrailingDot(hostname);
  return userInfos.flatMap((userInfo) =>
    portSuffixes.flatMap((port) => tails.map((tail) => `${protocol}//${userInfo}${host}${port}${tail}`)),
  );
}

/** Writes the scheme and the host of a pattern as `urlSpellings` does. Keeps a pattern that is not a URL. */
export function normaliseUrlPattern(pattern: string): string {
  const parts = splitUrl(pattern);
  if (!parts) return pattern;
  const { scheme, authority } = parts;
  const hostStart = authority.lastIndexOf("@") + 1;
  const { host, port } = hostAndPort(authority.slice(hostStart));
  const rest = pattern.slice(`${scheme}://${authority}`.length);
  const userInfo = authority.slice(0, hostStart);
  return `${scheme.toLowerCase()}://${userInfo}${normaliseHost(host)}${port && `:${port}`}${rest}`;
}

/** Also converts an international name to its `xn--` form. */
function normaliseHost(host: string): string {
  return withoutTrailingDot(parseUrl(`https://${host}`)?.hostname || host);
}

function withoutTrailingDot(host: string): string {
  return host.toLowerCase().replace(/(?<=[^.])\.+$/, "");
}

function unique(...texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}
