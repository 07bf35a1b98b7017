/** Saves the binary content of a tool result as files. The file names contain no text from the server. */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { HostError, isJsonObject, sanitizeLine } from "@plugboard/contracts";
import type { ContentBlock, Json, ToolResult } from "@plugboard/contracts";
import { unwritableError, writeNewFile } from "@plugboard/store";
import type { Output } from "../../terminal/output.ts";

/** Called before the tool runs, so that an invalid folder fails early. */
export async function makeOutputFolder(cwd: string, folder: string): Promise<string> {
  const path = resolve(cwd, folder);
  try {
    await mkdir(path, { recursive: true });
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new HostError(
      "USAGE",
      { message: `--output ${folder}: the folder can't be created (${code})` },
      { cause: error },
    );
  }
}

/** Prints the paths of the new files. Never overwrites a file. Throws STORE_UNWRITABLE. */
export async function saveBlobs({ content }: ToolResult, folder: string, output: Output): Promise<void> {
  const paths: string[] = [];
  for (const [index, block] of content.entries()) {
    const blob = extractBlob(block);
    if (blob) paths.push(await writeToNewFile(folder, String(index + 1), extensionOf(blob.mimeType), blob.bytes));
  }
  for (const path of paths) output.write(`saved ${sanitizeLine(path)}\n`);
}

interface Blob {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

function extractBlob(block: ContentBlock): Blob | undefined {
  const { type, data, mimeType, resource } = block as { readonly [key: string]: Json | undefined };
  if (type === "image" || type === "audio") return decode(data, mimeType);
  return type === "resource" && isJsonObject(resource) ? decode(resource["blob"], resource["mimeType"]) : undefined;
}

function decode(data: Json | undefined, mimeType: Json | undefined): Blob | undefined {
  if (typeof data !== "string") return undefined;
  return { bytes: Buffer.from(data, "base64"), mimeType: typeof mimeType === "string" ? mimeType : "" };
}

async function writeToNewFile(folder: string, name: string, extension: string, bytes: Buffer): Promise<string> {
  for (let copy = 1; ; copy++) {
    const path = join(folder, `${copy === 1 ? name : `${name}-${copy}`}.${extension}`);
    try {
      await writeNewFile(path, bytes, { mode: 0o666 });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unwritableError(path, error);
    }
  }
}

/** Ignores parameters such as `; charset=utf-8`. */
function extensionOf(mimeType: string): string {
  return EXTENSIONS.get(mimeType.split(";")[0]!.trim().toLowerCase()) ?? "bin";
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
  ["image/svg+xml", "svg"],
  ["audio/wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/ogg", "ogg"],
  ["application/pdf", "pdf"],
  ["application/zip", "zip"],
  ["application/gzip", "gz"],
  ["application/x-gzip", "gz"],
  ["application/x-tar", "tar"],
  ["application/json", "json"],
  ["application/xml", "xml"],
  ["text/plain", "txt"],
  ["text/csv", "csv"],
  ["text/html", "html"],
  ["text/markdown", "md"],
  ["video/mp4", "mp4"],
]);
