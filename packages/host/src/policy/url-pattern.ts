/**
 * Matches URLs part by part: a `*` in the host stays in the host, and a `*` in
 * the path stays in the path. So `https://*.acme.com/*` matches only hosts below
 * acme.com. Pure.
 *
 * Only plain URLs match. Programs disagree about where the host ends if a URL
 * has a user name, a backslash or non-ASCII letters. A blank or a line break may
 * start a second URL.
 */
import { parseGlob } from "../lib/glob.ts";

export interface UrlPattern {
  matches(text: string): boolean;
}

/** Returns undefined for a pattern that is not a URL. */
export function parseUrlPattern(pattern: string): UrlPattern | undefined {
  const parts = splitUrl(pattern);
  if (!parts || !/^[a-z0-9+.*-]+$/i.test(parts.scheme)) return undefined;
  const [scheme, authority] = [parseGlob(parts.scheme), authorityPattern(parts)];
  const rest = restPattern(parts, pattern.endsWith("*"));
  return {
    matches(text) {
      const url = UNSAFE.test(text) ? undefined : splitUrl(text);
      if (!url || !PLAIN_SCHEME.test(url.scheme)) return false;
      return scheme.matches(url.scheme) && authority(url.authority) && rest(url);
    },
  };
}

/** Returns true for any text that some program may parse as a URL. Parsers ignore tabs and line breaks. */
export function looksLikeUrl(text: string): boolean {
  const read = text.replace(/[\t\n\r]/g, "");
  return /^[\0- ]*(?:[a-z][a-z0-9+.-]+:[/\\]{2}|(?:https?|wss?|ftp|file):)/i.test(read);
}

/** Matches blanks, line breaks and control characters. */
const UNSAFE = /[\p{Z}\p{Cc}]/u;

interface UrlParts {
  readonly scheme: string;
  readonly authority: string;
  /** The query keeps its `?` and the fragment its `#`. Both are undefined if absent. */
  readonly path: string;
  readonly query: string | undefined;
  readonly fragment: string | undefined;
}

export function splitUrl(text: string): UrlParts | undefined {
  const found = /^([^:/?#]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#[^]*)?$/.exec(text);
  if (!found) return undefined;
  const [, scheme = "", authority = "", path = "", query, fragment] = found;
  return { scheme, authority, path, query, fragment };
}

const PLAIN_SCHEME = /^[a-z][a-z0-9+.-]*$/i;
const PLAIN_AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]*)(?::([0-9]+))?$/i;

/** Matches any host and port for a lone `*`. Any other pattern without a port rejects URLs with one. */
function authorityPattern(pattern: UrlParts): (authority: string) => boolean {
  const { host, port } = hostAndPort(authorityWithoutFinalStar(pattern));
  const [matchesHost, matchesPort] = [hostPattern(host), parseGlob(host === "*" ? "*" : port)];
  return (authority) => {
    const found = PLAIN_AUTHORITY.exec(authority);
    return found !== null && matchesHost(found[1]!) && matchesPort.matches(found[2] ?? "");
  };
}

/** Drops the final `*` of `https://api.acme.com*`: it matches the rest of the URL, not more of the host. */
function authorityWithoutFinalStar({ authority, path, query, fragment }: UrlParts): string {
  const isLast = path === "" && query === undefined && fragment === undefined;
  return isLast && /[^:]\*$/.test(authority) ? authority.slice(0, -1) : authority;
}

export function hostAndPort(authority: string): { host: string; port: string } {
  const at = authority.lastIndexOf(":");
  if (at < 0 || authority.endsWith("]")) return { host: authority, port: "" };
  return { host: authority.slice(0, at), port: authority.slice(at + 1) };
}

/** Matches any number of labels with a leading `*`, and part of one label with any other `*`. */
function hostPattern(pattern: string): (host: string) => boolean {
  const names = pattern.split(".").map(parseGlob);
  const isOpen = names[0]?.pattern === "*";
  const fixed = isOpen ? names.slice(1) : names;
  return (host) => {
    const given = host.split(".");
    if (isOpen ? given.length <= fixed.length : given.length !== fixed.length) return false;
    return fixed.every((name, at) => name.matches(given[given.length - fixed.length + at]!));
  };
}

/** Rejects parts that the pattern does not have, unless the pattern ends with `*`. */
function restPattern(pattern: UrlParts, isOpen: boolean): (url: UrlParts) => boolean {
  const named = [pattern.path || undefined, pattern.query, pattern.fragment];
  const last = named.findLastIndex((part) => part !== undefined);
  const globs = named.map((part) => parseGlob(part ?? ""));
  return ({ path, query, fragment }) =>
    [path, query, fragment].every((part, at) => (at > last && isOpen) || globs[at]!.matches(part ?? ""));
}
