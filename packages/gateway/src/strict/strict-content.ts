/**
 * Makes content blocks valid for a client. A block that its revision does not know becomes text, so that the model can
 * still read it.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { Revision } from "@plugboard/mcp";
import { strictDescription } from "./strict-description.ts";

interface BlockType {
  /** False if the revision does not have the type. */
  readonly isKnown: (revision: Revision) => boolean;
  readonly isValid: (block: JsonObject) => boolean;
}

const always = () => true;

const BLOCK_TYPES: { readonly [type: string]: BlockType } = {
  text: { isKnown: always, isValid: ({ text }) => typeof text === "string" },
  image: { isKnown: always, isValid: isMedia },
  audio: { isKnown: ({ hasAudio }) => hasAudio, isValid: isMedia },
  resource_link: {
    isKnown: ({ hasResourceLinks }) => hasResourceLinks,
    isValid: ({ uri, name }) => typeof uri === "string" && typeof name === "string",
  },
  resource: { isKnown: always, isValid: ({ resource }) => isContents(resource) },
};

export function strictBlock(block: Json, revision: Revision): JsonObject {
  if (!isJsonObject(block)) return asText(block);
  const { type } = block;
  const blockType = typeof type === "string" && Object.hasOwn(BLOCK_TYPES, type) ? BLOCK_TYPES[type] : undefined;
  if (!blockType?.isValid(block) || !blockType.isKnown(revision)) return asText(block);
  const strict = strictDescription(block);
  if (type !== "resource") return strict;
  const resource = strictDescription(block["resource"] as JsonObject);
  return resource === block["resource"] ? strict : { ...strict, resource };
}

/** Makes the contents of a resource valid. Leaves out parts without text or bytes. */
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
