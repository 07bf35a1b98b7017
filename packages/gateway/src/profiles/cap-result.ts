/**
 * Cuts the text of a tool result that is longer than a profile allows. The whole text becomes a resource that the
 * client can read.
 */
import { canonicalJson, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { cutText } from "@plugboard/host/internal";

export interface ResultCap {
  readonly maxBytes: number;
  /** Stores a text, and returns the URI to read it with. Returns undefined if it can't be stored. */
  readonly store: (text: string) => Promise<string | undefined>;
}

/** Reserved for the note at the cut. */
const NOTE_BYTES = 300;

/**
 * Images and audio are not cut. Structured content is left out if it does not fit beside the text. If no text repeats
 * it, it is part of the stored text.
 */
export function capResult(result: JsonObject, cap: ResultCap): JsonObject | Promise<JsonObject> {
  const { structuredContent, ...others } = result;
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  const texts = content.flatMap((block) => textOf(block) ?? []);
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  if (textBytes + Buffer.byteLength(structured ?? "") <= cap.maxBytes) return result;
  const isRepeated = structured === undefined || texts.some((text) => isSameJson(text, structuredContent!));
  if (isRepeated && textBytes <= cap.maxBytes) return others;
  const whole = (isRepeated ? texts : [...texts, structured]).join("\n\n");
  return cutResult(others, content, whole, cap);
}

async function cutResult(
  result: JsonObject,
  content: readonly Json[],
  whole: string,
  { maxBytes, store }: ResultCap,
): Promise<JsonObject> {
  let left = maxBytes - NOTE_BYTES;
  const shown = content.flatMap((block) => {
    const text = textOf(block);
    if (text === undefined) return [block];
    const cut = cutText(text, left);
    left -= cut.bytes;
    if (cut.text.length < text.length) left = 0;
    return cut.text === "" ? [] : [withText(block as JsonObject, cut.text)];
  });
  const size = Buffer.byteLength(whole);
  const uri = await store(whole);
  const rest = uri === undefined ? "the rest could not be stored" : `the whole text is the resource ${uri}`;
  const note = { type: "text", text: `[cut: the result has ${size} bytes of text; ${rest}]` };
  const links = uri === undefined ? [] : [{ type: "resource_link", uri, name: "output", mimeType: "text/plain", size }];
  return { ...result, content: [...shown, note, ...links] };
}

/** Returns the text of a block, also of an embedded resource. */
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
