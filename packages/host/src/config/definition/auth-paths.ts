/** The keys of a login that name a file. Relative to where the definition stands. */
export const AUTH_FILE_KEYS: ReadonlySet<string> = new Set([
  "tokenPath",
  "privateKeyFile",
  "assertionFile",
  "idTokenFile",
]);
