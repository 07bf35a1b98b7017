/** Recognises values of an entry that are probably secrets in plain text. References are not secrets. Pure. */
import type { EntryValue } from "@plugboard/contracts";
import { envReferencesIn, replaceEnvReferences } from "../../lib/env-references.ts";
import { isSecretName } from "../../redaction/is-secret-name.ts";
import { looksLikeSecret } from "../../redaction/looks-like-secret.ts";
import { maskArguments, maskName } from "../../redaction/mask-text.ts";
import { targetSecrets } from "../../redaction/target-secrets.ts";

/** Recognises the value of a variable, a header or a setting of a login. */
export function isPlainSecret(name: string, value: EntryValue): boolean {
  if (typeof value !== "string" || value === "") return false;
  if (envReferencesIn(value).length > 0) return containsPassword(replaceEnvReferences(value, () => ""));
  return isSecretName(name) || looksLikeSecret(value) || containsPassword(value);
}

/**
 * Returns true if others may see the value of a variable or header: a reference, a plain word, a path, or a URL without
 * a user and a query. An argument with such a value is shown unmasked, too.
 */
export function mayBeExported(name: string, value: EntryValue): boolean {
  if (typeof value !== "string") return true;
  const text = dropDefaults(value);
  return !isPlainSecret(name, value) && maskName(text) === text;
}

/** A URL with a password, such as `postgres://user:password@host`. */
const URL_WITH_PASSWORD = /^[a-z][\w+.-]*:\/\/[^/?#@]*:[^/?#]+@/i;
/** A named value in a URL's query, a connection string or JSON. */
const NAMED_VALUE = /([\w.-]+)["']?\s*[=:]\s*["']?([^\s;&,"'}]+)/g;

function containsPassword(value: string): boolean {
  if (URL_WITH_PASSWORD.test(value)) return true;
  return [...value.matchAll(NAMED_VALUE)].some(([, name = ""]) => isSecretName(name));
}

/** Returns the indexes of arguments that contain a secret. */
export function secretArguments(args: readonly EntryValue[]): number[] {
  // `maskArguments` masks every default, even one that is not a secret, so defaults are checked separately.
  const withoutDefaults = args.map((arg) => (typeof arg === "string" ? dropDefaults(arg) : arg));
  const masked = maskArguments(withoutDefaults);
  return args.flatMap((arg, index) => {
    if (typeof arg !== "string") return [];
    const hasSecretDefault = envReferencesIn(arg).some(({ fallback = "" }) => looksLikeSecret(fallback));
    return hasSecretDefault || masked[index] !== withoutDefaults[index] ? [index] : [];
  });
}

export function isSecretUrl(url: string): boolean {
  const withDefaults = replaceEnvReferences(url, ({ fallback = "" }) => fallback);
  return targetSecrets({ transport: "http", url: withDefaults, headers: {} }).length > 0;
}

function dropDefaults(text: string): string {
  return replaceEnvReferences(text, ({ name }) => `\${${name}}`, "$${");
}
