/** Writes text of a server as a documentation comment that can't end early and has no effect on the compiler. Pure. */
import { sanitize } from "@plugboard/contracts";

const MAX_CHARS = 2_000;

/** Returns the comment with a line break, or an empty text if there is nothing to say. */
export function docComment(text: string): string {
  const cut = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
  const lines = sanitize(cut.trim().replaceAll("\r\n", "\n").replaceAll("\t", " "))
    .replaceAll("*/", "*\\/")
    .split("\n")
    // The compiler reads directives such as `@ts-expect-error` at the beginning of a line.
    .map((line) => line.replace(/^[\s*/]*@/, (start) => `${start.slice(0, -1)}\\@`).trimEnd());
  if (lines.join("") === "") return "";
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}
