/**
 * Validates the entries that most config files consist of: a command with arguments and variables, or a URL with
 * headers, all as plain texts. Returns the same as `checkEntry`, but does not need zod, which is slow to load. Without
 * this module, the bench row `cli-list` takes 9 % longer, and `host-connect-1` 16 %.
 */
import { isJsonObject } from "@plugboard/contracts";
import { ENTRY_DEFAULTS } from "../definition/entry-defaults.ts";
import type { CheckedEntry } from "./check-entry.ts";
import type { RawEntry } from "./normalise-entry.ts";
import { validateHeader } from "./validate-header.ts";
import { validateServerUrl } from "./validate-url.ts";

/** Returns undefined for an entry that `checkEntry` has to validate. */
export function checkPlainEntry({ enabled = true, start = "eager", ...entry }: RawEntry): CheckedEntry | undefined {
  if (typeof enabled !== "boolean" || (start !== "eager" && start !== "lazy")) return undefined;
  const target = plainCommand(entry) ?? plainUrl(entry);
  return target && { definition: { ...ENTRY_DEFAULTS, enabled, start, ...target }, warnings: [] };
}

function plainCommand({ transport = "stdio", command, args = [], env = {}, ...rest }: RawEntry) {
  if (transport !== "stdio") return undefined;
  // A command with a space is probably a mistake, which `checkEntry` explains.
  if (Object.keys(rest).length > 0 || !isPlainText(command) || /^$|\s/.test(command)) return undefined;
  if (!Array.isArray(args) || !args.every(isPlainText) || !isPlainRecord(env)) return undefined;
  return { transport: "stdio", command, args, env: { ...env } } as const;
}

function plainUrl({ transport = "http", url, headers = {}, ...rest }: RawEntry) {
  if (transport !== "http") return undefined;
  if (Object.keys(rest).length > 0 || !isPlainText(url) || validateServerUrl(url, "http") !== undefined)
    return undefined;
  if (!isPlainRecord(headers)) return undefined;
  if (Object.entries(headers).some(([name, value]) => validateHeader(name, value) !== undefined)) return undefined;
  return { transport: "http", url, headers: { ...headers }, auth: { type: "none" } } as const;
}

function isPlainRecord(value: unknown): value is { readonly [name: string]: string } {
  return isJsonObject(value) && Object.values(value).every(isPlainText);
}

/** Returns true for a string without a reference to a variable. */
function isPlainText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("${");
}
