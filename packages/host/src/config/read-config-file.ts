/**
 * The text of a config file. A project's may come from anybody, so what is no
 * ordinary file of a size that a person writes is not read at all.
 */
import { readFile, stat } from "node:fs/promises";
import { HostError } from "@plugboard/contracts";

const MAX_BYTES = 4 * 1024 * 1024;

/** Nothing for a file that is not there. */
export async function readConfigFile(file: string): Promise<string | undefined> {
  const refusal = (what: string, cause?: unknown) => new HostError("CONFIG_INVALID", { file, what }, { cause });
  let bytes: Uint8Array;
  try {
    // Opening a pipe would wait for somebody to write to it.
    const found = await stat(file);
    if (!found.isFile()) throw refusal("it is not an ordinary file");
    if (found.size > MAX_BYTES) throw refusal(`it is larger than ${MAX_BYTES} bytes`);
    bytes = await readFile(file);
  } catch (error) {
    if (error instanceof HostError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw refusal(`it can't be read (${code})`, error);
  }
  return decode(file, bytes);
}

/** With a character lost, a rule would no longer name its tool. */
function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new HostError("CONFIG_INVALID", { file, ...firstWrong(bytes), what: "it is not UTF-8" }, { cause: error });
  }
}

/** No character's bytes have a line break among them, so each line can be looked at by itself. */
function firstWrong(bytes: Uint8Array): { line: number; column: number } | undefined {
  const lines = Buffer.from(bytes).toString("latin1").split("\n");
  for (const [index, line] of lines.entries()) {
    const text = Buffer.from(line, "latin1").toString("utf8");
    const column = text.indexOf("\ufffd");
    if (column >= 0) return { line: index + 1, column: column + 1 };
  }
  return undefined;
}
