/**
 * Cuts the text of a tool result to the limit of its client. The whole text becomes a resource that the client can read
 * in parts.
 */
import { canonicalJson, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { cutText, estimateJsonBytes, INCOMPLETE_FROM } from "@plugboard/host/forwarding";
import { capMedia, mediaLength } from "./cap-media.ts";
import { linkParts, whereStored } from "./output-links.ts";
import type { OutputPart } from "./stored-outputs.ts";

export interface ResultLimits {
  /** The most bytes of text. */
  readonly maxBytes: number;
  /** The most characters of images, audio and other binary data, as base64. By default there is no limit. */
  readonly maxMediaLength?: number | undefined;
  /** The most bytes of the whole result as JSON. A control character takes six. By default there is no limit. */
  readonly maxJsonBytes?: number | undefined;
}

export interface ResultCap extends ResultLimits {
  /** Stores a text, or base64 with its media type. Returns undefined if it can't be stored. */
  readonly store: (text: string, mediaType?: string) => Promise<readonly OutputPart[] | undefined>;
}

/** Reserved for the note at the cut. */
const NOTE_BYTES = 300;
/** Divides the length of the cut text if its JSON is still too long. */
const LONG_JSON_RATIO = 8;
/** The most bytes of one character in JSON. */
const BYTES_PER_CHARACTER = 6;

/** Returns false if the result may be too long. Must be fast: it runs for every result of a client with a limit. */
export function surelyFits(result: JsonObject, limits: ResultLimits): boolean {
  const { maxBytes, maxMediaLength, maxJsonBytes = Infinity } = limits;
  const { content, structuredContent } = result;
  let length = structuredContent === undefined ? 0 : estimateJsonBytes(structuredContent);
  if (length >= INCOMPLETE_FROM) return false;
  let media = 0;
  if (Array.isArray(content)) {
    for (const block of content) length += textOf(block)?.length ?? 0;
    if (maxMediaLength !== undefined && (media = mediaLength(content)) > maxMediaLength) return false;
  }
  const bytes = length * BYTES_PER_CHARACTER;
  return bytes <= maxBytes && bytes + media <= maxJsonBytes;
}

/**
 * Structured content is left out if it does not fit beside the text. If no text repeats it, it is part of the stored
 * text. Returns the same result if it fits.
 */
export async function capResult(result: JsonObject, cap: ResultCap): Promise<JsonObject> {
  const { structuredContent, ...others } = result;
  const given = Array.isArray(result["content"]) ? result["content"] : [];
  const content = await capMedia(given, cap);
  const texts = content.flatMap((block) => textOf(block) ?? []);
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  if (textBytes + Buffer.byteLength(structured ?? "") <= cap.maxBytes) {
    const complete = content === given ? result : { ...result, content };
    if (fitsAsJson(complete, cap)) return complete;
  }
  const isRepeated = structured === undefined || texts.some((text) => isSameJson(text, structuredContent!));
  if (isRepeated && textBytes <= cap.maxBytes) {
    const unstructured = { ...others, content };
    if (fitsAsJson(unstructured, cap)) return unstructured;
  }
  const whole = (isRepeated ? texts : [...texts, structured]).join("\n\n");
  return cutResult(others, content, whole, cap);
}

function fitsAsJson(result: JsonObject, { maxJsonBytes }: ResultLimits): boolean {
  return maxJsonBytes === undefined || Buffer.byteLength(JSON.stringify(result)) <= maxJsonBytes;
}

async function cutResult(
  result: JsonObject,
  content: readonly Json[],
  whole: string,
  cap: ResultCap,
): Promise<JsonObject> {
  const parts = await cap.store(whole);
  const rest = parts ? `the whole text is ${whereStored(parts)}` : "the rest could not be stored";
  const note = { type: "text", text: `[cut: the result has ${Buffer.byteLength(whole)} bytes of text; ${rest}]` };
  const end = [note, ...linkParts(parts, "text/plain")];
  const cutTo = (bytes: number) => ({ ...result, content: [...cutTexts(content, bytes), ...end] });
  const maxBytes = cap.maxBytes - NOTE_BYTES;
  for (const bytes of [maxBytes, Math.floor(maxBytes / LONG_JSON_RATIO)]) {
    const cut = cutTo(bytes);
    if (fitsAsJson(cut, cap)) return cut;
  }
  return cutTo(0);
}

/** Cuts the texts, so that they have at most `maxBytes` together. Keeps all other blocks. */
function cutTexts(content: readonly Json[], maxBytes: number): Json[] {
  let left = maxBytes;
  return content.flatMap((block) => {
    const text = textOf(block);
    if (text === undefined) return [block];
    const cut = cutText(text, left);
    left -= cut.bytes;
    if (cut.text.length < text.length) left = 0;
    return cut.text === "" ? [] : [withText(block as JsonObject, cut.text)];
  });
}

/** Returns the text of a block or of the resource that it embeds. */
function textOf(block: Json): string | undefined {
  if (!isJsonObject(block)) return undefined;
  const { type, text, resource } = block;
  if (type === "text" && typeof text === "string") return text;
  const embedded = type === "resource" && isJsonObject(resource) ? resource["text"] : undefined;
  return typeof embedded === "string" ? embedded : undefined;
}

function withText(block: JsonObject, text: string): JsonObject {
  if (block["type"] === "text") return { ...block, text };
  return { ...block, resource: { ...(block["resource"] as JsonObject), text } };
}

function isSameJson(text: string, value: Json): boolean {
  try {
    return canonicalJson(JSON.parse(text) as Json) === canonicalJson(value);
  } catch {
    // The text is not JSON.
    return false;
  }
}
