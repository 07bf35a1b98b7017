/**
 * Masks secrets in a URL. Shows the scheme, the host, the path and the names in the query. Builds the URL again from
 * its parsed parts, because only a parser knows which part is the password.
 */
import { parseUrl } from "@plugboard/contracts";
import { MASK, ENV_REFERENCE, maskUnlessReference, maskUnlessPlainWord } from "./mask-references.ts";
import { splitDigest } from "./split-digest.ts";

/** Expects a text whose default values `maskDefaults` has masked. Returns undefined if the text is not a URL. */
export function maskUrl(text: string): string | undefined {
  const { placeholderText, restore } = usePlaceholders(text);
  // If the text starts with a reference, the scheme is in the value of that reference. Any scheme will do to parse it.
  const startsWithReference = text.startsWith("${");
  const url = parseUrl(startsWithReference ? `https://${placeholderText}` : placeholderText);
  if (!url) return undefined;
  if (!url.host) return schemeOf(text, url) + MASK;
  const scheme = startsWithReference ? "" : `${schemeOf(text, url)}//`;
  const user = url.username || url.password ? `${MASK}@` : "";
  const path = url.pathname === "/" ? "" : url.pathname.split("/").map(restore).map(maskPathSegment).join("/");
  return scheme + user + restore(url.host) + path + maskQuery(url, restore) + maskFragment(restore(url.hash));
}

function maskPathSegment(part: string): string {
  const [name, digest] = splitDigest(part);
  return maskUnlessPlainWord(name) + digest;
}

/** Returns the scheme as written, or the parsed scheme if the text has characters that the URL parser ignores. */
function schemeOf(text: string, { protocol }: URL): string {
  const written = text.trimStart().slice(0, protocol.length);
  return written.toLowerCase() === protocol ? written : protocol;
}

function maskQuery({ search }: URL, restore: (text: string) => string): string {
  if (search === "") return "";
  const parts = search
    .slice(1)
    .split("&")
    .map((part) => {
      const equals = part.indexOf("=");
      if (equals < 0) return MASK;
      const name = restore(part.slice(0, equals));
      const value = restore(part.slice(equals + 1));
      return `${maskUnlessPlainWord(name)}=${maskUnlessReference(value)}`;
    });
  return `?${parts.join("&")}`;
}

function maskFragment(hash: string): string {
  if (hash === "") return "";
  const fragment = hash.slice(1);
  return `#${/^\p{L}+$/u.test(fragment) ? maskUnlessPlainWord(fragment) : maskUnlessReference(fragment)}`;
}

const PORT_REFERENCE = /:(\$\{[^}]*\})(?=[/?#]|$)/;
const PLACEHOLDER_PORT = ":65535";

/** Replaces references with placeholders that a URL may contain. `restore` puts the references back. */
function usePlaceholders(text: string): { placeholderText: string; restore: (part: string) => string } {
  const portReference = PORT_REFERENCE.exec(text)?.[1];
  const references: string[] = text.match(ENV_REFERENCE) ?? [];
  const placeholderText = text
    .replace(PORT_REFERENCE, PLACEHOLDER_PORT)
    .replace(ENV_REFERENCE, (reference) => `reference${references.indexOf(reference)}x`);
  const restore = (part: string) => {
    const restored = part.replace(/reference(\d+)x/g, (written, index: string) => references[Number(index)] ?? written);
    return portReference === undefined ? restored : restored.replace(PLACEHOLDER_PORT, () => `:${portReference}`);
  };
  return { placeholderText, restore };
}
