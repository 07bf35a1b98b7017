/**
 * Matches URLs part by part: a `*` in the host stays in the host, and a `*` in
 * the path stays in the path. So `https://*.acme.com/*` matches only hosts below
 * acme.com. Pure.
 *
 * Only plain URLs match. Programs disagree about where the host ends if a URL
 * has a user name, a backslash or non-ASCII letters. A blank or a line break may
 * start a second URL.
 */
import { parseGlob } from "./glob.ts";

export interface UrlPattern {
  matches(text: string): boolean;
}

/** Returns undefined for a pattern that is not a URL. */
export function parseUrlPattern(pattern: string): UrlPattern | undefined {
  const parts = splitUrl(pattern);
  if (!parts || !/^[a-z0-9+.*-]+$/i.test(parts.scheme)) return undefined;
  const [scheme, authority] = [parseGlob(parts.scheme), authorityPattern(parts)];
  const endsWithStar = pattern.endsWith("*");
  const rest = restPattern(parts, endsWithStar);
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
  const cleaned = text.replace(/[\t\n\r]/g, "");
  return /^[\0- ]*(?:[a-z][a-z0-9+.-]+:[/\\]{2}|(?:https?|wss?|ftp|file):)/i.test(cleaned);
}

/** Matches blanks, line breaks and control characters. */
const UNSAFE = /[\p{Z}\p{Cc}]/u;

interface UrlParts {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  /** With its `?`. */
  readonly query: string | undefined;
  /** With its `#`. */
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

/** A lone `*` matches any host and port. Any other pattern without a port rejects URLs with a port. */
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
  const colon = authority.lastIndexOf(":");
  // The colons of an IPv6 address are within brackets.
  if (colon < 0 || authority.endsWith("]")) return { host: authority, port: "" };
  return { host: authority.slice(0, colon), port: authority.slice(colon + 1) };
}

/** A leading label `*` matches one or more labels. Any other `*` matches text within one label. */
function hostPattern(pattern: string): (host: string) => boolean {
  const labelGlobs = pattern.split(".").map(parseGlob);
  const startsWithStar = labelGlobs[0]?.pattern === "*";
  const lastGlobs = startsWithStar ? labelGlobs.slice(1) : labelGlobs;
  return (host) => {
    const labels = host.split(".");
    const extraLabels = labels.length - lastGlobs.length;
    if (startsWithStar ? extraLabels < 1 : extraLabels !== 0) return false;
    return lastGlobs.every((glob, index) => glob.matches(labels[extraLabels + index]!));
  };
}

/** Matches path, query and fragment. If the pattern ends with `*`, the URL may have parts that the pattern lacks. */
function restPattern(pattern: UrlParts, endsWithStar: boolean): (url: UrlParts) => boolean {
  const patternParts = [pattern.path || undefined, pattern.query, pattern.fragment];
  const last = patternParts.findLastIndex((part) => part !== undefined);
  const globs = patternParts.map((part) => parseGlob(part ?? ""));
  return ({ path, query, fragment }) =>
    [path, query, fragment].every((part, index) => (index > last && endsWithStar) || globs[index]!.matches(part ?? ""));
}
