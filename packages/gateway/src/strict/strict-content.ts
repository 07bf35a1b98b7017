/**
 * Makes content blocks valid for a client. A block that its revision does not know becomes text, so that the model can
 * still read it.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { isSince } from "./revisions.ts";
import { strictDescription } from "./strict-description.ts";

interface BlockType {
  /** The revision that introduced the type. */
  readonly since: string;
  readonly isValid: (block: JsonObject) => boolean;
}

const BLOCK_TYPES: { readonly [type: string]: BlockType } = {
  text: { since: "2024-11-05", isValid: ({ text }) => typeof text === "string" },
  image: { since: "2024-11-05", isValid: isMedia },
  audio: { since: "2025-03-26", isValid: isMedia },
  resource_link: {
    since: "2025-06-18",
    isValid: ({ uri, name }) => typeof uri === "string" && typeof name === "string",
  },
  resource: { since: "2024-11-05", isValid: ({ resource }) => isContents(resource) },
};

export function strictBlock(block: Json, revision: string | undefined): JsonObject {
  if (!isJsonObject(block)) return asText(block);
  const { type } = block;
  const blockType = typeof type === "string" && Object.hasOwn(BLOCK_TYPES, type) ? BLOCK_TYPES[type] : undefined;
  if (!blockType?.isValid(block) || !isSince(blockType.since, revision)) return asText(block);
  const strict = strictDescription(block);
  if (type !== "resource") return strict;
  const resource = strictDescription(block["resource"] as JsonObject);
  return resource === block["resource"] ? strict : { ...strict, resource };
}

/** Leaves out parts without text or bytes. */
export function strictContents(parts: readonly Json[], requestedUri: string): JsonObject[] {
  return parts.flatMap((part) => {
    if (!isJsonObject(part)) return [];
    const withUri: JsonObject = { ...part, uri: typeof part["uri"] === "string" ? part["uri"] : requestedUri };
    return isContents(withUri) ? [strictDescription(withUri)] : [];
  });
}

function isMedia({ data, mimeType }: JsonObject): boolean {
  return typeof data === "string" && typeof mimeType === "string";
}

function isContents(value: Json | undefined): boolean {
  if (!isJsonObject(value) || typeof value["uri"] !== "string") return false;
  return typeof value["text"] === "string" || typeof value["blob"] === "string";
}

function asText(block: Json): JsonObject {
  if (isJsonObject(block) && block["type"] === "resource_link" && typeof block["uri"] === "string") {
    return { type: "text", text: `${typeof block["name"] === "string" ? `${block["name"]}: ` : ""}${block["uri"]}` };
  }
  return { type: "text", text: JSON.stringify(block) };
}
