/** Makes random ids faster than `randomUUID`, and equally random. For things that are made often, such as calls. */
import { randomFillSync } from "node:crypto";

const ID_BYTES = 16;
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** Returns whether the text has the form of these ids. */
export function isRandomId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** Returns 32 hexadecimal digits. */
export function randomId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString("hex", used - ID_BYTES, used);
}
