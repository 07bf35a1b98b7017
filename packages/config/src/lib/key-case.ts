/** Converts keys between the snake_case of files and the camelCase of the code. */

/** Drops keys whose value is undefined. */
export function toCamelKeys(object: object): { [key: string]: unknown } {
  const present = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([key, value]) => [toCamelCase(key), value]));
}

export function toSnakeKeys(object: object): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [toSnakeCase(key), value]));
}

/** `max_timeout_ms` → `maxTimeoutMs` */
export function toCamelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `maxTimeoutMs` and `max-timeout-ms` → `max_timeout_ms` */
export function toSnakeCase(key: string): string {
  return key.replaceAll("-", "_").replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
