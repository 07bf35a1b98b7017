/**
 * The bytes of an ordinary file of a bounded size. Files that a project names may
 * be anything: a pipe that nobody writes to, a device, a file of the kernel that
 * waits for news. None of them keeps us waiting.
 */
import { constants, open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";

const TIMEOUT_MS = 2000;

/** What can't be had for another reason is thrown, as by the file system. */
export async function readBounded(file: string, maxBytes: number): Promise<Uint8Array | { readonly why: string }> {
  // Opening alone may do something to a device.
  if (!(await stat(file)).isFile()) return NOT_A_REGULAR_FILE;
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  let timer: NodeJS.Timeout | undefined;
  try {
    const timeout = new Promise<{ why: string }>((resolve) => {
      timer = setTimeout(() => resolve({ why: `it can't be read within ${TIMEOUT_MS} ms` }), TIMEOUT_MS);
    });
    return await Promise.race([readAll(handle, maxBytes), timeout]);
  } finally {
    clearTimeout(timer);
    // Not waited for: it would wait for a reading that does not end. There is nothing that could be lost.
    handle.close().catch(() => {});
  }
}

const NOT_A_REGULAR_FILE = { why: "it is not an ordinary file" };

async function readAll(handle: FileHandle, maxBytes: number): Promise<Uint8Array | { readonly why: string }> {
  const found = await handle.stat();
  if (!found.isFile()) return NOT_A_REGULAR_FILE;
  const tooLarge = { why: `it is larger than ${maxBytes} bytes` };
  if (found.size > maxBytes) return tooLarge;
  // One more than it says: what has no end says that it has no size.
  const bytes = Buffer.alloc(found.size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
    if (length === bytes.length) return { why: "it has more in it than its size says" };
  }
}
