/**
 * Finds the secrets in the target of a connection, so that logs and errors can mask them. A value with a name such as
 * `API_TOKEN` is a secret. In other values, the parts that do not look like plain words are secrets.
 */
import { parseUrl } from "@plugboard/contracts";
import type { ServerTarget } from "@plugboard/contracts";
import { looksLikePlainWord } from "../lib/looks-like-plain-word.ts";
import { isSecretName } from "./is-secret-name.ts";

export function targetSecrets(target: ServerTarget): string[] {
  if (target.transport === "stdio") {
    const { args, env } = target;
    const envSecrets = Object.entries(env).flatMap(([name, value]) => namedValueSecrets(name, value));
    return [...envSecrets, ...args.flatMap((arg, index) => argumentSecrets(arg, args[index - 1]))];
  }
  const { url, headers } = target;
  return [...Object.entries(headers).flatMap(([name, value]) => namedValueSecrets(name, value)), ...urlSecrets(url)];
}

function namedValueSecrets(name: string, value: string): string[] {
  // Even if a URL has the name of a secret, most of its parts are not secret, and errors need to show them.
  return isSecretName(name) && !value.includes("://") ? [value, ...secretParts(value)] : secretParts(value);
}

function argumentSecrets(arg: string, previous: string | undefined): string[] {
  const [, name, value] = /^(-{0,2}[\w.-]+)=(.*)$/s.exec(arg) ?? [];
  if (name !== undefined && value !== undefined) return namedValueSecrets(name, value);
  return previous?.startsWith("-") && !previous.includes("=") ? namedValueSecrets(previous, arg) : secretParts(arg);
}

/** Splits a URL, a path, a list or a phrase into its parts, and returns those that do not look like plain words. */
function secretParts(text: string): string[] {
  const inUrl = text.includes("://") ? urlSecrets(text) : [];
  return [...inUrl, ...text.split(/[\s/\\:=,;&?#@|<>()[\]{}"'`]+/).filter((part) => !looksLikePlainWord(part))];
}

function urlSecrets(text: string): string[] {
  const url = parseUrl(text);
  if (!url) return [];
  const [username, password] = [url.username, url.password].map(decodeIfValid) as [string, string];
  const basicCredentials = username || password ? [Buffer.from(`${username}:${password}`).toString("base64")] : [];
  const query = [...url.searchParams].flatMap(([name, value]) => namedValueSecrets(name, value));
  const path = url.pathname.split("/").filter((part) => !looksLikePlainWord(part));
  return [password, ...basicCredentials, ...query, ...path, url.hash.slice(1)].filter((part) => part !== "");
}

/** Returns the part itself if it is not validly encoded. */
function decodeIfValid(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
