/**
 * Estimates the size of a value as JSON without serialising it: a long string counts its characters. Values with many
 * parts are counted up to a limit, because the size is only shown to people.
 */
const MAX_PARTS = 10_000;

export function estimateJsonBytes(value: unknown): number {
  let bytes = 0;
  let parts = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && parts < MAX_PARTS) {
    const part = pending.pop();
    parts += 1;
    if (typeof part === "string") bytes += part.length + 2;
    else if (Array.isArray(part)) {
      bytes += 2 + Math.max(0, part.length - 1);
      for (let index = 0; index < part.length && pending.length < MAX_PARTS; index++) pending.push(part[index]);
    } else if (typeof part === "object" && part !== null) {
      // One comma less than there are keys.
      let keyBytes = -1;
      for (const key in part) {
        const inner = (part as { readonly [key: string]: unknown })[key];
        if (inner === undefined) continue;
        keyBytes += key.length + 4;
        if (pending.length < MAX_PARTS) pending.push(inner);
      }
      bytes += 2 + Math.max(0, keyBytes);
    } else bytes += typeof part === "number" ? String(part).length : part === false ? 5 : 4;
  }
  return bytes;
}
