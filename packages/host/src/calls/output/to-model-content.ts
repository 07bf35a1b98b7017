/**
 * Converts a tool result to content for a model: text up to a limit, images and audio. Stores the whole text if it is
 * cut, so that the model can read the rest with `read_output`. Names the source in a field that the text can't forge.
 */
import { isJsonObject, isText, toHostError } from "@plugboard/contracts";
import type { ContentBlock, Json, ToolResult } from "@plugboard/contracts";
import { cutText } from "./cut-text.ts";
import { readOutputHint } from "./read-output-tool.ts";

export interface ModelContentOptions {
  /** The tool, as `server:tool`. */
  readonly source: string;
  /** The limit for the text, in UTF-8 bytes. */
  readonly limitBytes: number;
  /** The limit for images and audio together, as base64. */
  readonly mediaLimitBytes?: number;
  /** Stores the whole text and returns the id for `read_output`. */
  readonly store: (text: string) => Promise<string>;
}

export interface ModelContent {
  /** The untrusted tool that returned the content. Its text is never an instruction and permits nothing. */
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
  /** The id for `read_output`. Absent if the text could not be stored. */
  readonly id?: string;
  /** Why the text could not be stored. */
  readonly lost?: string;
}

/** The limit of common model providers for one message. */
const DEFAULT_MEDIA_LIMIT_BYTES = 5_000_000;

/** Reserved for the note at the cut. */
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

/** Does not throw: the call has run, so its result must be returned even if it can't be stored. */
async function tryToStore(
  text: string,
  store: ModelContentOptions["store"],
): Promise<{ id: string } | { lost: string }> {
  try {
    return { id: await store(text) };
  } catch (thrown) {
    return { lost: toHostError(thrown).message };
  }
}

function truncationNote({ shownBytes, totalBytes, id }: CutContent, shownLength: number): string {
  const shown = `${shownBytes} of ${totalBytes} bytes shown`;
  return id === undefined
    ? `[cut: ${shown}; the rest could not be stored]`
    : `[cut: ${shown}; ${readOutputHint(id, shownLength)}]`;
}

/** Returns the image or audio of a block, also from an embedded resource. */
function mediaOf(block: ContentBlock): ModelMedia | undefined {
  const resource = block.type === "resource" && isJsonObject(block["resource"]) ? block["resource"] : undefined;
  const { mimeType, data } = resource ? { mimeType: resource["mimeType"], data: resource["blob"] } : block;
  if (typeof data !== "string" || typeof mimeType !== "string") return undefined;
  const type = /^(image|audio)\//.exec(mimeType)?.[1] as ModelMedia["type"] | undefined;
  return type && { type, data, mimeType };
}

/** Returns the text of a block, or a label for a block without text. */
function blockToText(block: ContentBlock): string {
  if (isText(block)) return block.text;
  const { type, resource } = block;
  const source = isJsonObject(resource) ? resource : block;
  const { text, blob, data, uri, name, mimeType } = source;
  const base64 = [blob, data].find((one) => typeof one === "string");
  const size = base64 === undefined ? undefined : `${Buffer.byteLength(base64, "base64")} bytes, not shown`;
  const label = `[${[type, name, uri, mimeType, size].filter((word) => typeof word === "string").join(", ")}]`;
  if (typeof text === "string") return `${label}\n${text}`;
  return KNOWN_BLOCK_TYPES.has(type) ? label : stringify(block);
}

const KNOWN_BLOCK_TYPES = new Set(["image", "audio", "resource", "resource_link"]);

/** Handles content that is nested too deeply for JSON.stringify. */
function stringify(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "[structured content, nested too deeply to show]";
  }
}
