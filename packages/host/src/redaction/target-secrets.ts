/**
 * What of a resolved definition is to stay between the user and that server: by
 * the same judgement by which nothing else of it is shown. A value under a
 * telling name is a secret whatever it looks like; of others, the parts that
 * look like nothing a person would write.
 */
import { parseUrl } from "@plugboard/contracts";
import type { Target } from "@plugboard/mcp";
import { looksLikePlainWord } from "../lib/looks-like-plain-word.ts";
import { isSecretName } from "./is-secret-name.ts";

export function targetSecrets(target: Target): string[] {
  if (target.transport === "in-process") return [];
  if (target.transport === "stdio") {
    const { args, env } = target;
    const named = Object.entries(env).flatMap(([name, value]) => namedValueSecrets(name, value));
    return [...named, ...args.flatMap((arg, at) => argumentSecrets(arg, args[at - 1]))];
  }
  const { url, headers } = target;
  return [...Object.entries(headers).flatMap(([name, value]) => namedValueSecrets(name, value)), ...urlSecrets(url)];
}

function namedValueSecrets(name: string, value: string): string[] {
  // Most of a URL is no secret under whatever name, and said in every other error.
  return isSecretName(name) && !value.includes("://") ? [value, ...secretParts(value)] : secretParts(value);
}

function argumentSecrets(arg: string, previous: string | undefined): string[] {
  const [, name, value] = /^(-{0,2}[\w.-]+)=(.*)$/s.exec(arg) ?? [];
  if (name !== undefined && value !== undefined) return namedValueSecrets(name, value);
  return previous?.startsWith("-") && !previous.includes("=") ? namedValueSecrets(previous, arg) : secretParts(arg);
}

/** A URL, a path, a list, a few words: only what is between them can be a secret. */
function secretParts(text: string): string[] {
  const inUrl = text.includes("://") ? urlSecrets(text) : [];
  return [...inUrl, ...text.split(/[\s/\\:=,;&?#@|<>()[\]{}"'`]+/).filter((part) => !looksLikePlainWord(part))];
}

function urlSecrets(text: string): string[] {
  const url = parseUrl(text);
  if (!url) return [];
  const [username, password] = [url.username, url.password].map(decodeOrSelf) as [string, string];
  const login = username || password ? [Buffer.from(`${username}:${password}`).toString("base64")] : [];
  const query = [...url.searchParams].flatMap(([name, value]) => namedValueSecrets(name, value));
  const path = url.pathname.split("/").filter((part) => !looksLikePlainWord(part));
  return [password, ...login, ...query, ...path, url.hash.slice(1)].filter((part) => part !== "");
}

/** As it was meant; as it is if it can't be. */
function decodeOrSelf(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
