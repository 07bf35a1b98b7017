/**
 * Parses a URL. Returns undefined if the text is not a URL. Use it instead of `URL.canParse`, which has a defect on
 * Node 20: in an optimised function it rejects URLs with Latin-1 characters such as "ü".
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
