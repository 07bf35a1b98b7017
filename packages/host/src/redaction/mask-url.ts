/**
 * A URL of which no secret is visible: its scheme, host and path, and the names
 * in its query. It is put together anew from its parts, because what a program
 * takes for the user and the password is not always what it looks like.
 */
import { parseUrl } from "@plugboard/contracts";
import { MASK, ENV_REFERENCE, maskUnlessReference, maskUnlessPlainWord } from "./mask-references.ts";
import { splitDigest } from "./split-digest.ts";

/** Takes a text whose defaults are masked. Nothing for one that is no URL. */
export function maskUrl(text: string): string | undefined {
  const { stand: placeholderText, back: restore } = usePlaceholders(text);
  // A text that begins with a reference has its scheme, and maybe more, in there.
  const parseable = text.startsWith("${") ? `https://${placeholderText}` : placeholderText;
  const url = parseUrl(parseable);
  if (!url) return undefined;
  if (!url.host) return schemeOf(text, url) + MASK;
  const scheme = parseable === placeholderText ? `${schemeOf(text, url)}//` : "";
  const user = url.username || url.password ? `${MASK}@` : "";
  const path = url.pathname === "/" ? "" : url.pathname.split("/").map(restore).map(maskPathSegment).join("/");
  return scheme + user + restore(url.host) + path + maskQuery(url, restore) + maskFragment(restore(url.hash));
}

function maskPathSegment(part: string): string {
  const [name, digest] = splitDigest(part);
  return maskUnlessPlainWord(name) + digest;
}

/** As it is written, except for what a parser passes over. */
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
      return `${maskUnlessPlainWord(restore(part.slice(0, equals)))}=${maskUnlessReference(restore(part.slice(equals + 1)))}`;
    });
  return `?${parts.join("&")}`;
}

function maskFragment(hash: string): string {
  if (hash === "") return "";
  return /^#\p{L}+$/u.test(hash) ? `#${maskUnlessPlainWord(hash.slice(1))}` : `#${maskUnlessReference(hash.slice(1))}`;
}

const PORT_REFERENCE = /:(\$\{[^}]*\})(?=[/?#]|$)/;
const PLACEHOLDER_PORT = ":65535";

/** The text with stand-ins that a URL may have where the references are, and the way back. */
function usePlaceholders(text: string): { stand: string; back: (part: string) => string } {
  const port = PORT_REFERENCE.exec(text)?.[1];
  const references: string[] = text.match(ENV_REFERENCE) ?? [];
  const placeholderText = text
    .replace(PORT_REFERENCE, PLACEHOLDER_PORT)
    .replace(ENV_REFERENCE, (reference) => `reference${references.indexOf(reference)}x`);
  const restore = (part: string) => {
    const named = part.replace(/reference(\d+)x/g, (written, at: string) => references[Number(at)] ?? written);
    return port === undefined ? named : named.replace(PLACEHOLDER_PORT, () => `:${port}`);
  };
  return { stand: placeholderText, back: restore };
}
