/** Text for the user. Styled parts are objects, so that text from servers can't contain a style. */

export type StyleName = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

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
