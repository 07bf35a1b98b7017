/**
 * Copies the given fields, if they are set. The catalogs keep every field that a server sends, and gateway clients get
 * all of them. Other callers get only the fields that the library documents.
 */
export function pick<T extends object, K extends keyof T>(value: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.flatMap((key) => (value[key] === undefined ? [] : [[key, value[key]]]))) as Pick<T, K>;
}
