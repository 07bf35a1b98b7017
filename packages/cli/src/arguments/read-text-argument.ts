/** Reads the text of an argument that stands on the command line itself, in a file (`@file`) or in stdin (`-`). */
import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { HostError, isHostError } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";

export type TextSource = Pick<CliContext, "cwd" | "stdin">;

/** `option` is the name of the argument in errors, such as `--args`. */
export async function readTextArgument(value: string, option: string, input: TextSource): Promise<string> {
  if (value !== "-" && !value.startsWith("@")) return value;
  return readTextFile(value === "-" ? "-" : value.slice(1), `${option} ${value}`, input);
}

/** More than a server accepts. Without a limit, a device such as /dev/zero would fill the memory. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a file or pipe, or stdin for the path `-`. `subject` names the argument in errors. */
export async function readTextFile(path: string, subject: string, input: TextSource): Promise<string> {
  const stream = path === "-" ? input.stdin : createReadStream(resolve(input.cwd, path));
  const bytes = await readStream(stream, subject);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw fileError(subject, "it is not UTF-8 text", error);
  }
}

async function readStream(stream: AsyncIterable<Uint8Array>, subject: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > MAX_BYTES) throw fileError(subject, `it is larger than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (isHostError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw fileError(subject, code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`, error);
  }
}

function fileError(subject: string, reason: string, cause?: unknown): HostError {
  return new HostError("USAGE", { message: `${subject}: ${reason}`, omitHelp: true }, { cause });
}
