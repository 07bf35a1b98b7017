/** Makes the files that an App wants to save. */
import { isJsonObject } from "@plugboard/contracts";
import type { ContentBlock, JsonObject } from "@plugboard/contracts";
import type { FileToSave } from "../components/save-file.ts";

/** Returns the files of embedded resources. A link to a resource has no content of its own. */
export function toFiles(contents: readonly ContentBlock[]): readonly FileToSave[] {
  return contents.flatMap(({ resource }) => {
    if (!isJsonObject(resource)) return [];
    const parts = toBytes(resource);
    if (parts === undefined) return [];
    const { uri, mimeType } = resource;
    const type = typeof mimeType === "string" ? mimeType : "application/octet-stream";
    return [{ name: fileName(uri), blob: new Blob([parts], { type }) }];
  });
}

function toBytes({ text, blob }: JsonObject): string | Uint8Array<ArrayBuffer> | undefined {
  if (typeof text === "string") return text;
  if (typeof blob !== "string") return undefined;
  return Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
}

/** The last part of the URI, without characters that have a meaning in paths. */
function fileName(uri: unknown): string {
  const last = typeof uri === "string" ? (uri.split(/[/\\]/).at(-1) ?? "") : "";
  return last.replaceAll(/[^\w.-]+/g, "_").replace(/^\.+/, "") || "download";
}
