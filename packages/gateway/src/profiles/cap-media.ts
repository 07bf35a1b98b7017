/** Replaces images, audio and other binary data that a client can't get in one message by links to stored data. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { ResultCap } from "./cap-result.ts";
import { linkParts, whereStored } from "./output-links.ts";

/** Returns the length of the binary data in a list of content blocks, as base64. */
export function mediaLength(content: readonly Json[]): number {
  let length = 0;
  for (const block of content) length += mediaOf(block)?.length ?? 0;
  return length;
}

/** Keeps the blocks that fit, in their order. Returns the same list if all of them fit. */
export async function capMedia(content: Json[], { maxMediaLength, store }: ResultCap): Promise<Json[]> {
  if (maxMediaLength === undefined || mediaLength(content) <= maxMediaLength) return content;
  let left = maxMediaLength;
  const capped: Json[] = [];
  for (const block of content) {
    const media = mediaOf(block);
    if (media === undefined || media.length <= left) {
      left -= media?.length ?? 0;
      capped.push(block);
      continue;
    }
    const type = mediaTypeOf(block as JsonObject);
    const parts = await store(media, type);
    const data = parts ? `its data is ${whereStored(parts)}` : "its data could not be stored";
    const bytes = Buffer.byteLength(media, "base64");
    capped.push({ type: "text", text: `[left out: ${type} of ${bytes} bytes; ${data}]` }, ...linkParts(parts, type));
  }
  return capped;
}

/** Returns the base64 of a block or of the resource that it embeds. */
function mediaOf(block: Json): string | undefined {
  if (!isJsonObject(block)) return undefined;
  const { type, data, resource } = block;
  const media = type === "resource" && isJsonObject(resource) ? resource["blob"] : data;
  return typeof media === "string" ? media : undefined;
}

function mediaTypeOf({ mimeType, resource }: JsonObject): string {
  const type = isJsonObject(resource) ? resource["mimeType"] : mimeType;
  return typeof type === "string" ? type : "application/octet-stream";
}
