/** Text for the user. Styled parts are objects, so that text from servers can't contain a style. */

export type StyleName = "bold" | "dim" | "italic" | "red" | "green" | "yellow" | "cyan";

export interface StyledText {
  readonly style: StyleName;
  readonly text: string;
}

export type Text = string | StyledText | readonly Text[];

export function styled(style: StyleName, text: string): StyledText {
  return { style, text };
}

/** Returns the text without its styles. */
export function plainText(text: Text): string {
  if (typeof text === "string") return text;
  return "style" in text ? text.text : text.map(plainText).join("");
}

/** Splits the text at its line breaks and keeps the styles. A line break at the end adds no line. */
export function linesOf(text: Text): Text[] {
  const lines: Text[][] = [[]];
  const add = (part: Text): void => {
    if (typeof part !== "string" && !("style" in part)) return part.forEach(add);
    const [first = "", ...rest] = plainText(part).split("\n");
    const withStyle = (piece: string) => (typeof part === "string" ? piece : { ...part, text: piece });
    lines.at(-1)!.push(withStyle(first));
    for (const piece of rest) lines.push([withStyle(piece)]);
  };
  add(text);
  if (plainText(lines.at(-1)!) === "") lines.pop();
  return lines;
}
