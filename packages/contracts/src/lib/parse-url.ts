/**
 * Parses a URL; returns undefined for a text that is none. Use it instead of `URL.canParse`, which on Node 20 rejects
 * URLs with Latin-1 characters such as "ü" once the calling function has been optimised.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
