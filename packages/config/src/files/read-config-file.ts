/**
 * Reads the text of a config file. A project's file may come from anybody, so only regular files of a limited size
 * are read.
 */
import { HostError } from "@plugboard/contracts";
import { readBounded } from "@plugboard/store";

/** A larger file is not read. */
export const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

interface ReadOptions {
  /** Whether the text starts with the byte-order mark of the file. By default it is left out. */
  readonly keepBom?: boolean;
}

/** Returns undefined for a missing file. Throws CONFIG_INVALID for a file that can't be read. */
export async function readConfigFile(file: string, { keepBom = false }: ReadOptions = {}): Promise<string | undefined> {
  const configError = (reason: string, cause?: unknown) => new HostError("CONFIG_INVALID", { file, reason }, { cause });
  try {
    const read = await readBounded(file, MAX_CONFIG_BYTES);
    if ("reason" in read) throw configError(read.reason);
    return decode(file, read, keepBom);
  } catch (error) {
    if (error instanceof HostError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw configError(`it can't be read (${code})`, error);
  }
}

/**
 * Rejects invalid UTF-8, because a rule with a replaced character would not match its tool. Despite its name,
 * `ignoreBOM` keeps the byte-order mark in the text.
 */
function decode(file: string, bytes: Uint8Array, ignoreBOM: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM }).decode(bytes);
  } catch (error) {
    throw new HostError(
      "CONFIG_INVALID",
      { file, ...findInvalidUtf8(bytes), reason: "it is not UTF-8" },
      { cause: error },
    );
  }
}

/** Splits the bytes at line breaks before decoding, which is safe: no multi-byte character contains a line break. */
function findInvalidUtf8(bytes: Uint8Array): { line: number; column: number } | undefined {
  const lines = Buffer.from(bytes).toString("latin1").split("\n");
  for (const [index, line] of lines.entries()) {
    const text = Buffer.from(line, "latin1").toString("utf8");
    const column = text.indexOf("\ufffd");
    if (column >= 0) return { line: index + 1, column: column + 1 };
  }
  return undefined;
}
