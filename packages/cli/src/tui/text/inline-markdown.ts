/** Turns emphasis, code and links of one markdown paragraph into styled text. Pure. */
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";

/** Unclosed marks stay as they are, also at the end of a text that still grows. */
export function renderInline(text: string): Text {
  const parts: Text[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    parts.push(text.slice(end, match.index), renderMark(match.groups ?? {}));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

/** The length limits keep matching linear for texts with many unclosed marks. `\x60` is a backtick. */
const MARKS = new RegExp(
  [
    String.raw`(?<escaped>\\[!-/:-@[-\x60{-~])`,
    String.raw`(?<fence>\x60{1,3})(?<code>[^\x60\n]{1,2000})\k<fence>(?!\x60)`,
    String.raw`\*\*(?<bold>[^\s*](?:[^*\n]{0,2000}[^\s*])?)\*\*`,
    String.raw`(?<!\w)__(?<strong>[^\s_](?:[^_\n]{0,2000}[^\s_])?)__(?!\w)`,
    String.raw`\*(?<italic>[^\s*](?:[^*\n]{0,2000}[^\s*])?)\*`,
    String.raw`(?<!\w)_(?<emphasis>[^\s_](?:[^_\n]{0,2000}[^\s_])?)_(?!\w)`,
    String.raw`!?\[(?<label>[^\]\n]{0,500})\]\((?<url>[^()\s]{1,2000})(?: "[^"\n]{0,500}")?\)`,
  ].join("|"),
  "g",
);

function renderMark(mark: { readonly [name: string]: string | undefined }): Text {
  if (mark["escaped"] !== undefined) return mark["escaped"].slice(1);
  if (mark["code"] !== undefined) return styled("cyan", mark["code"]);
  const strong = mark["bold"] ?? mark["strong"];
  if (strong !== undefined) return styled("bold", strong.replaceAll("`", ""));
  const emphasis = mark["italic"] ?? mark["emphasis"];
  if (emphasis !== undefined) return styled("italic", emphasis);
  return renderLink(mark["label"] ?? "", mark["url"] ?? "");
}

/** Always shows the address, because the label could name another one. */
function renderLink(label: string, url: string): Text {
  return label === "" || label === url ? url : [label, styled("dim", ` (${url})`)];
}
