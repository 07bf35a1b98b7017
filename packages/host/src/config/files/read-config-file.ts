/**
 * The text of a config file. A project's may come from anybody, so what is no
 * ordinary file of a size that a person writes is not read at all.
 */
import { HostError } from "@plugboard/contracts";
import { readBounded } from "../../store/read-bounded.ts";

const MAX_BYTES = 4 * 1024 * 1024;

/** Nothing for a file that is not there. */
export async function readConfigFile(file: string): Promise<string | undefined> {
  const configError = (reason: string, cause?: unknown) => new HostError("CONFIG_INVALID", { file, reason }, { cause });
  try {
    const read = await readBounded(file, MAX_BYTES);
    if ("why" in read) throw configError(read.why);
    return decode(file, read);
  } catch (error) {
    if (error instanceof HostError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw configError(`it can't be read (${code})`, error);
  }
}

/** With a character lost, a rule would no longer name its tool. */
function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new HostError(
      "CONFIG_INVALID",
      { file, ...findInvalidUtf8(bytes), reason: "it is not UTF-8" },
      { cause: error },
    );
  }
}

/** No character's bytes have a line break among them, so each line can be looked at by itself. */
function findInvalidUtf8(bytes: Uint8Array): { line: number; column: number } | undefined {
  const lines = Buffer.from(bytes).toString("latin1").split("\n");
  for (const [index, line] of lines.entries()) {
    const text = Buffer.from(line, "latin1").toString("utf8");
    const column = text.indexOf("\ufffd");
    if (column >= 0) return { line: index + 1, column: column + 1 };
  }
  return undefined;
}
