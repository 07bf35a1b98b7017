/**
 * Writes the arguments of a call as JSON without secrets. Masks values with the name of a secret, known kinds of
 * tokens, and the secrets of the server's definition. Cuts long arguments.
 */
import type { JsonObject, Redactor } from "@plugboard/contracts";
import { isSecretName } from "./is-secret-name.ts";
import { isKnownToken } from "./looks-like-secret.ts";
import { MASK } from "./mask-references.ts";

export interface RedactedArguments {
  /** Only the beginning of the JSON if `isCut`. */
  readonly json: string;
  readonly isCut: boolean;
  readonly isMasked: boolean;
}

/** Deeper values are cut. */
const MAX_DEPTH = 100;
const WORD = /[^\s"'`=:,;()[\]{}<>]+/g;

export function redactArguments(
  args: JsonObject,
  redactor: Pick<Redactor, "text"> | undefined,
  maxChars: number,
): RedactedArguments {
  let json = "";
  let isCut = false;
  let isMasked = false;

  const put = (text: string) => {
    const left = maxChars - json.length;
    json += text.slice(0, left);
    isCut ||= text.length > left;
  };
  const putText = (text: string, name: string) => {
    const shown = text.slice(0, maxChars);
    const masked = isSecretName(name) && text !== "" ? MASK : maskText(shown, redactor);
    isMasked ||= masked !== shown;
    put(JSON.stringify(masked));
  };
  /** Returns early if the rest is cut, so that a long value costs no more than a short one. */
  const putValue = (value: unknown, name: string, depth: number): void => {
    if (depth > MAX_DEPTH) isCut = true;
    if (isCut) return;
    if (typeof value === "string") return putText(value, name);
    if (typeof value === "number" && isSecretName(name)) return putText(String(value), name);
    if (typeof value !== "object" || value === null) return put(JSON.stringify(value) ?? "null");
    const isList = Array.isArray(value);
    let separator = isList ? "[" : "{";
    for (const key in value) {
      const item = (value as { readonly [key: string]: unknown })[key];
      if (isCut) return;
      if (item === undefined && !isList) continue;
      put(separator);
      separator = ",";
      if (!isList) {
        putText(key, "");
        put(":");
      }
      // Everything inside a secret is secret.
      putValue(item, isList || isSecretName(name) ? name : key, depth + 1);
    }
    if (separator !== ",") put(separator);
    put(isList ? "]" : "}");
  };
  putValue(args, "", 0);
  return { json, isCut, isMasked };
}

function maskText(text: string, redactor: Pick<Redactor, "text"> | undefined): string {
  const redacted = redactor?.text(text) ?? text;
  return redacted.replace(WORD, (word) => (isKnownToken(word) ? MASK : word));
}
