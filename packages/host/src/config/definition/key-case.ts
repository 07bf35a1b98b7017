/** From the spelling of files to that of the code, without what is absent: `max_timeout_ms` → `maxTimeoutMs`. */
export function toCamelKeys(object: object): { [key: string]: unknown } {
  const present = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([key, value]) => [toCamel(key), value]));
}

/** And back. */
export function toSnakeKeys(object: object): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [toSnake(key), value]));
}

function toCamel(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toSnake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
