/**
 * A URL of which no secret is visible: its scheme, host and path, and the names
 * in its query. It is put together anew from its parts, because what a program
 * takes for the user and the password is not always what it looks like.
 */
import { parseUrl } from "@plugboard/contracts";
import { MASK, SHOWN_REFERENCE, showReferences, showWord } from "./mask-references.ts";
import { splitDigest } from "./split-digest.ts";

/** Takes a text whose defaults are masked. Nothing for one that is no URL. */
export function maskUrl(text: string): string | undefined {
  const { stand, back } = withoutReferences(text);
  // A text that begins with a reference has its scheme, and maybe more, in there.
  const whole = text.startsWith("${") ? `https://${stand}` : stand;
  const url = parseUrl(whole);
  if (!url) return undefined;
  if (!url.host) return schemeOf(text, url) + MASK;
  const scheme = whole === stand ? `${schemeOf(text, url)}//` : "";
  const user = url.username || url.password ? `${MASK}@` : "";
  const path = url.pathname === "/" ? "" : url.pathname.split("/").map(back).map(showPinned).join("/");
  return scheme + user + back(url.host) + path + query(url, back) + fragment(back(url.hash));
}

function showPinned(part: string): string {
  const [name, digest] = splitDigest(part);
  return showWord(name) + digest;
}

/** As it is written, except for what a parser passes over. */
function schemeOf(text: string, { protocol }: URL): string {
  const written = text.trimStart().slice(0, protocol.length);
  return written.toLowerCase() === protocol ? written : protocol;
}

function query({ search }: URL, back: (text: string) => string): string {
  if (search === "") return "";
  const parts = search
    .slice(1)
    .split("&")
    .map((part) => {
      const equals = part.indexOf("=");
      if (equals < 0) return MASK;
      return `${showWord(back(part.slice(0, equals)))}=${showReferences(back(part.slice(equals + 1)))}`;
    });
  return `?${parts.join("&")}`;
}

function fragment(hash: string): string {
  if (hash === "") return "";
  return /^#\p{L}+$/u.test(hash) ? `#${showWord(hash.slice(1))}` : `#${showReferences(hash.slice(1))}`;
}

const PORT = /:(\$\{[^}]*\})(?=[/?#]|$)/;
const STAND_IN_PORT = ":65535";

/** The text with stand-ins that a URL may have where the references are, and the way back. */
function withoutReferences(text: string): { stand: string; back: (part: string) => string } {
  const port = PORT.exec(text)?.[1];
  const references: string[] = text.match(SHOWN_REFERENCE) ?? [];
  const stand = text
    .replace(PORT, STAND_IN_PORT)
    .replace(SHOWN_REFERENCE, (reference) => `reference${references.indexOf(reference)}x`);
  const back = (part: string) => {
    const named = part.replace(/reference(\d+)x/g, (written, at: string) => references[Number(at)] ?? written);
    return port === undefined ? named : named.replace(STAND_IN_PORT, () => `:${port}`);
  };
  return { stand, back };
}
