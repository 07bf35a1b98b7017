/** Renders emphasis, code and links of one paragraph of Markdown as styled text. Pure. */
import { parseInline, plainInline } from "@plugboard/contracts/markdown";
import type { MarkdownInline } from "@plugboard/contracts/markdown";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";

export function renderInline(text: string): Text {
  return parseInline(text).map(renderPart);
}

function renderPart(part: MarkdownInline): Text {
  switch (part.type) {
    case "text":
      return part.text;
    case "code":
      return styled("cyan", part.text);
    case "strong":
      return styled("bold", plainInline(part.children));
    case "emphasis":
      return styled("italic", plainInline(part.children));
    case "link":
      return renderLink(plainInline(part.children), part.url);
    case "reference":
      return renderLink(plainInline(part.children), part.target);
    case "image":
      return renderLink(part.text, part.url);
  }
}

/** Always shows the address, because the label could name another one. */
function renderLink(label: string, url: string): Text {
  return label === "" || label === url ? url : [label, styled("dim", ` (${url})`)];
}
