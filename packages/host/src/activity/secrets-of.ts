/**
 * What of a resolved definition is to stay between the user and that server: by
 * the same judgement by which nothing else of it is shown. A value under a
 * telling name is a secret whatever it looks like; of others, the parts that
 * look like nothing a person would write.
 */
import { parseUrl } from "@plugboard/contracts";
import type { Target } from "@plugboard/mcp";
import { isHarmlessWord } from "../config/harmless-word.ts";
import { isSecretName } from "../config/secret-name.ts";

export function secretsOf(target: Target): string[] {
  if (target.transport === "in-process") return [];
  if (target.transport === "stdio") {
    const { args, env } = target;
    const named = Object.entries(env).flatMap(([name, value]) => ofNamed(name, value));
    return [...named, ...args.flatMap((arg, at) => ofArgument(arg, args[at - 1]))];
  }
  const { url, headers } = target;
  return [...Object.entries(headers).flatMap(([name, value]) => ofNamed(name, value)), ...ofUrl(url)];
}

function ofNamed(name: string, value: string): string[] {
  // Most of a URL is no secret under whatever name, and said in every other error.
  return isSecretName(name) && !value.includes("://") ? [value, ...partsOf(value)] : partsOf(value);
}

function ofArgument(arg: string, before: string | undefined): string[] {
  const [, name, value] = /^(-{0,2}[\w.-]+)=(.*)$/s.exec(arg) ?? [];
  if (name !== undefined && value !== undefined) return ofNamed(name, value);
  return before?.startsWith("-") && !before.includes("=") ? ofNamed(before, arg) : partsOf(arg);
}

/** A URL, a path, a list, a few words: only what is between them can be a secret. */
function partsOf(text: string): string[] {
  const inUrl = text.includes("://") ? ofUrl(text) : [];
  return [...inUrl, ...text.split(/[\s/\\:=,;&?#@|<>()[\]{}"'`]+/).filter((part) => !isHarmlessWord(part))];
}

function ofUrl(text: string): string[] {
  const url = parseUrl(text);
  if (!url) return [];
  const [username, password] = [url.username, url.password].map(decoded) as [string, string];
  const login = username || password ? [Buffer.from(`${username}:${password}`).toString("base64")] : [];
  const query = [...url.searchParams].flatMap(([name, value]) => ofNamed(name, value));
  const path = url.pathname.split("/").filter((part) => !isHarmlessWord(part));
  return [password, ...login, ...query, ...path, url.hash.slice(1)].filter((part) => part !== "");
}

/** As it was meant; as it is if it can't be. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
