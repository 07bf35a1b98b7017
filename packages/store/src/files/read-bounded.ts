/**
 * Reads a regular file of a limited size. A path from a project may be a pipe, a device or a kernel file that
 * blocks, so the read has a timeout.
 */
import { constants, open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { awakeTimeout } from "./awake-timeout.ts";

const TIMEOUT_MS = 2000;

/**
 * Returns the bytes, or the reason why it can't: the file is not regular, too large or too slow. Throws the errors of
 * the file system. `flags` are additional flags of `open`.
 */
export async function readBounded(
  file: string,
  maxBytes: number,
  flags = 0,
): Promise<Uint8Array | { readonly reason: string }> {
  // Checks this before opening the file, because opening a device can have side effects.
  if (!(await stat(file)).isFile()) return NOT_A_REGULAR_FILE;
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
  const timeout = awakeTimeout(TIMEOUT_MS);
  try {
    const tooSlow = timeout.over.then(() => ({ reason: `it can't be read within ${TIMEOUT_MS} ms` }));
    return await Promise.race([readAll(handle, maxBytes), tooSlow]);
  } finally {
    timeout.cancel();
    // Does not await, because closing waits for a read that may never end.
    handle.close().catch(() => {});
  }
}

const NOT_A_REGULAR_FILE = { reason: "it is not a regular file" };

async function readAll(handle: FileHandle, maxBytes: number): Promise<Uint8Array | { readonly reason: string }> {
  const stats = await handle.stat();
  if (!stats.isFile()) return NOT_A_REGULAR_FILE;
  const tooLarge = { reason: `it is larger than ${maxBytes} bytes` };
  if (stats.size > maxBytes) return tooLarge;
  // Reads one byte more than the reported size, to detect endless files, which report a size of 0.
  const bytes = Buffer.alloc(stats.size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
    if (length === bytes.length) return { reason: "it contains more bytes than its size says" };
  }
}
