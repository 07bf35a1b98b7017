/**
 * A tool's result as a model gets it: text up to a limit, and pictures and
 * sounds beside it. What had to be cut is kept whole and can be read on with
 * the tool `read_output`. Whose words these are is data beside the text, where
 * the text can't deny it.
 */
import { isJsonObject, isText, toHostError } from "@plugboard/contracts";
import type { ContentBlock, Json, ToolResult } from "@plugboard/contracts";
import { cutText } from "./cut-text.ts";
import { readOnNote } from "./read-output.ts";

export interface ForModelOptions {
  /** `server:tool`. */
  readonly source: string;
  /** Of text, in UTF-8. */
  readonly limitBytes: number;
  /** Of pictures and sounds together, as base64. */
  readonly mediaLimitBytes?: number;
  /** Keeps the whole text; the id is what `read_output` takes. */
  readonly keep: (text: string) => Promise<string>;
}

export interface ModelContent {
  /** Who says it: an untrusted party, whose words are never instructions and permit nothing. */
  readonly source: string;
  readonly untrusted: true;
  readonly isError: boolean;
  readonly text: string;
  readonly media: readonly ModelMedia[];
  readonly cut?: CutContent;
}

export interface ModelMedia {
  readonly type: "image" | "audio";
  readonly data: string;
  readonly mimeType: string;
}

interface CutContent {
  readonly shownBytes: number;
  readonly totalBytes: number;
  /** Nothing if the whole could not be kept; then `lost` says why. */
  readonly id?: string;
  readonly lost?: string;
}

/** What the services behind models commonly take in one message. */
const MEDIA_BYTES = 5_000_000;

/** Room for the note that says so where text was cut. */
const NOTE_BYTES = 500;

export async function forModel(result: ToolResult, options: ForModelOptions): Promise<ModelContent> {
  const { source, limitBytes, mediaLimitBytes = MEDIA_BYTES, keep } = options;
  const media: ModelMedia[] = [];
  const texts: string[] = [];
  let mediaBytes = 0;
  for (const block of result.content) {
    const medium = mediumOf(block);
    if (medium && mediaBytes + medium.data.length <= mediaLimitBytes) {
      media.push(medium);
      mediaBytes += medium.data.length;
    } else texts.push(textOf(block));
  }
  if (!result.content.some(isText) && result.structuredContent !== undefined)
    texts.push(write(result.structuredContent));
  const said = { source, untrusted: true, isError: result.isError === true, media } as const;
  const whole = texts.join("\n\n");
  const totalBytes = Buffer.byteLength(whole);
  if (totalBytes <= limitBytes) return { ...said, text: whole };
  const { text, bytes } = cutText(whole, Math.max(0, limitBytes - NOTE_BYTES));
  const cut = { shownBytes: bytes, totalBytes, ...(await tryToKeep(whole, keep)) };
  return { ...said, text: `${text}\n${noteOf(cut, text.length)}`, cut };
}

/** The call has been made, so its result is told even if the rest of it is lost. */
async function tryToKeep(whole: string, keep: ForModelOptions["keep"]): Promise<{ id: string } | { lost: string }> {
  try {
    return { id: await keep(whole) };
  } catch (thrown) {
    return { lost: toHostError(thrown).message };
  }
}

function noteOf({ shownBytes, totalBytes, id }: CutContent, shownLength: number): string {
  const shown = `${shownBytes} of ${totalBytes} bytes shown`;
  return id === undefined
    ? `[cut: ${shown}; the rest could not be kept]`
    : `[cut: ${shown}; ${readOnNote(id, shownLength)}]`;
}

/** Also a resource that is a picture or a sound. */
function mediumOf(block: ContentBlock): ModelMedia | undefined {
  const resource = block.type === "resource" && isJsonObject(block["resource"]) ? block["resource"] : undefined;
  const { mimeType, data } = resource ? { mimeType: resource["mimeType"], data: resource["blob"] } : block;
  if (typeof data !== "string" || typeof mimeType !== "string") return undefined;
  const type = /^(image|audio)\//.exec(mimeType)?.[1] as ModelMedia["type"] | undefined;
  return type && { type, data, mimeType };
}

/** Text as it is; what is no text is named. */
function textOf(block: ContentBlock): string {
  if (isText(block)) return block.text;
  const { type, resource } = block;
  const about = isJsonObject(resource) ? resource : block;
  const { text, blob, data, uri, name, mimeType } = about;
  const bytes = [blob, data].find((one) => typeof one === "string");
  const size = bytes === undefined ? undefined : `${Buffer.byteLength(bytes, "base64")} bytes, not shown`;
  const label = `[${[type, name, uri, mimeType, size].filter((word) => typeof word === "string").join(", ")}]`;
  if (typeof text === "string") return `${label}\n${text}`;
  return KNOWN.has(type) ? label : write(block);
}

const KNOWN = new Set(["image", "audio", "resource", "resource_link"]);

/** A server can nest more deeply than can be written. */
function write(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "[structured content, nested too deeply to be shown]";
  }
}
