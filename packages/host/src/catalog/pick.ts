/**
 * Copies the given fields, if they are set. The catalogs keep every field that a server sends, and clients of the gateway
 * get them all. Other callers get the fields that the library documents.
 */
export function pick<T extends object, K extends keyof T>(value: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.flatMap((key) => (value[key] === undefined ? [] : [[key, value[key]]]))) as Pick<T, K>;
}
