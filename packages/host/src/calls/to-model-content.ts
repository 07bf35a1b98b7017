/**
 * A tool's result as a model gets it: text up to a limit, and pictures and
 * sounds beside it. What had to be cut is kept whole and can be read on with
 * the tool `read_output`. Whose words these are is data beside the text, where
 * the text can't deny it.
 */
import { isJsonObject, isText, toHostError } from "@plugboard/contracts";
import type { ContentBlock, Json, ToolResult } from "@plugboard/contracts";
import { cutText } from "./cut-text.ts";
import { readOutputHint } from "./read-output-tool.ts";

export interface ModelContentOptions {
  /** `server:tool`. */
  readonly source: string;
  /** Of text, in UTF-8. */
  readonly limitBytes: number;
  /** Of pictures and sounds together, as base64. */
  readonly mediaLimitBytes?: number;
  /** Keeps the whole text; the id is what `read_output` takes. */
  readonly store: (text: string) => Promise<string>;
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
const DEFAULT_MEDIA_LIMIT_BYTES = 5_000_000;

/** Room for the note that says so where text was cut. */
const NOTE_BYTES = 500;

export async function toModelContent(result: ToolResult, options: ModelContentOptions): Promise<ModelContent> {
  const { source, limitBytes, mediaLimitBytes = DEFAULT_MEDIA_LIMIT_BYTES, store } = options;
  const media: ModelMedia[] = [];
  const texts: string[] = [];
  let mediaBytes = 0;
  for (const block of result.content) {
    const item = mediaOf(block);
    if (item && mediaBytes + item.data.length <= mediaLimitBytes) {
      media.push(item);
      mediaBytes += item.data.length;
    } else texts.push(blockToText(block));
  }
  if (!result.content.some(isText) && result.structuredContent !== undefined)
    texts.push(stringify(result.structuredContent));
  const base = { source, untrusted: true, isError: result.isError === true, media } as const;
  const fullText = texts.join("\n\n");
  const totalBytes = Buffer.byteLength(fullText);
  if (totalBytes <= limitBytes) return { ...base, text: fullText };
  const { text, bytes } = cutText(fullText, Math.max(0, limitBytes - NOTE_BYTES));
  const cut = { shownBytes: bytes, totalBytes, ...(await tryToStore(fullText, store)) };
  return { ...base, text: `${text}\n${truncationNote(cut, text.length)}`, cut };
}

/** The call has been made, so its result is told even if the rest of it is lost. */
async function tryToStore(
  whole: string,
  keep: ModelContentOptions["store"],
): Promise<{ id: string } | { lost: string }> {
  try {
    return { id: await keep(whole) };
  } catch (thrown) {
    return { lost: toHostError(thrown).message };
  }
}

function truncationNote({ shownBytes, totalBytes, id }: CutContent, shownLength: number): string {
  const shown = `${shownBytes} of ${totalBytes} bytes shown`;
  return id === undefined
    ? `[cut: ${shown}; the rest could not be kept]`
    : `[cut: ${shown}; ${readOutputHint(id, shownLength)}]`;
}

/** Also a resource that is a picture or a sound. */
function mediaOf(block: ContentBlock): ModelMedia | undefined {
  const resource = block.type === "resource" && isJsonObject(block["resource"]) ? block["resource"] : undefined;
  const { mimeType, data } = resource ? { mimeType: resource["mimeType"], data: resource["blob"] } : block;
  if (typeof data !== "string" || typeof mimeType !== "string") return undefined;
  const type = /^(image|audio)\//.exec(mimeType)?.[1] as ModelMedia["type"] | undefined;
  return type && { type, data, mimeType };
}

/** Text as it is; what is no text is named. */
function blockToText(block: ContentBlock): string {
  if (isText(block)) return block.text;
  const { type, resource } = block;
  const source = isJsonObject(resource) ? resource : block;
  const { text, blob, data, uri, name, mimeType } = source;
  const bytes = [blob, data].find((one) => typeof one === "string");
  const size = bytes === undefined ? undefined : `${Buffer.byteLength(bytes, "base64")} bytes, not shown`;
  const label = `[${[type, name, uri, mimeType, size].filter((word) => typeof word === "string").join(", ")}]`;
  if (typeof text === "string") return `${label}\n${text}`;
  return KNOWN_BLOCK_TYPES.has(type) ? label : stringify(block);
}

const KNOWN_BLOCK_TYPES = new Set(["image", "audio", "resource", "resource_link"]);

/** A server can nest more deeply than can be written. */
function stringify(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "[structured content, nested too deeply to be shown]";
  }
}
