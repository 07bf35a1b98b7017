/**
 * Reads one entry of another client: translates its placeholders, converts its keys, and validates the result with the
 * code that reads config files.
 */
import { isAbsolute } from "node:path";
import { isJsonObject, programName } from "@plugboard/contracts";
import type { Json, ServerEntry } from "@plugboard/contracts";
import type { ServerDefinition } from "../definition/definition.ts";
import { checkEntry, splitArguments } from "../entry/check-entry.ts";
import { isSwitch, normaliseEntry } from "../entry/normalise-entry.ts";
import type { NormalisedEntry, RawEntry } from "../entry/normalise-entry.ts";
import { parseConfigText } from "../parse/parse-config-text.ts";
import type { EntryIssue } from "../parse/explain-issue.ts";
import type { Client, ReadContext } from "./formats/client.ts";
import { isPlugboardDefinition } from "../definition/is-plugboard-itself.ts";
import type { EntryFacts } from "./entry/entry-notes.ts";
import { findPlainSecrets } from "./entry/find-plain-secrets.ts";
import { toPlainEntry } from "./entry/to-plain-entry.ts";
import { translateValues } from "./translate-values.ts";

export type ReadClientEntry =
  | (EntryFacts & {
      readonly entry: ServerEntry;
      /** Undefined for an entry that only enables or disables a server of another layer. */
      readonly definition: ServerDefinition | undefined;
    })
  | { readonly skip: string };

export function readClientEntry(
  raw: Json | undefined,
  id: string,
  client: Client,
  file: string,
  context: ReadContext,
): ReadClientEntry {
  if (!isJsonObject(raw)) return { skip: "the entry is not an object" };
  const notes: string[] = [];
  const translated = translateValues(raw, client, context, notes);
  if ("skip" in translated) return translated;
  const converted = client.read(translated.entry, id, notes);
  if ("skip" in converted) return converted;
  const { root } = parseConfigText(JSON.stringify(converted.entry));
  const normalised = normaliseEntry(root!, file);
  const { duplicate, unknownKeys } = normalised;
  if (duplicate) return { skip: `${duplicate.name} occurs twice, in two spellings` };
  notes.push(...unknownKeys.map(({ spelling }) => `${spelling} is left out, because Plugboard has no such setting`));
  const entry = separateArguments(dropUnusedLogin(normalised.entry, notes), notes);
  if (isSwitch(entry)) return { entry, definition: undefined, notes, plainSecrets: [] };
  const checked = checkEntry(entry, context.scope);
  if ("issues" in checked) return { skip: checked.issues.map((issue) => describeIssue(issue, normalised)).join("; ") };
  const { definition } = checked;
  if (isPlugboardDefinition(definition)) return { skip: "it is Plugboard itself" };
  notes.push(
    ...(isRelativeFolder(definition, context)
      ? ["cwd is relative; Plugboard resolves it against your home folder"]
      : []),
    ...checked.warnings.map((warning) => describeIssue(warning, normalised)),
  );
  return { entry: toPlainEntry(definition), definition, notes, plainSecrets: findPlainSecrets(definition, id) };
}

/** Names the key as the file spells it. */
function describeIssue({ path, message }: EntryIssue, { locate }: NormalisedEntry): string {
  return path.length === 0 ? message : `"${locate(path).spelling}" ${message}`;
}

/** Returns true for a folder that Plugboard resolves against the home folder, unlike other clients. */
function isRelativeFolder(definition: ServerDefinition, { scope }: ReadContext): boolean {
  const cwd = "cwd" in definition ? definition.cwd : undefined;
  return scope === "user" && cwd !== undefined && !isAbsolute(cwd) && !cwd.startsWith("${");
}

/** Programs that run other programs. The name of another program may contain spaces. */
const LAUNCHERS = new Set(
  "npx npm pnpm pnpx yarn bun bunx node deno uv uvx pipx python python3 docker podman".split(" "),
);

/** Moves the arguments of a command such as `npx -y server` to `args`. Leaves a command with quotes as it is. */
function separateArguments(entry: RawEntry, notes: string[]): RawEntry {
  const split = splitArguments(entry);
  if (!split || !LAUNCHERS.has(programName(split.program)) || /["'`]/.test(String(entry["command"]))) return entry;
  notes.push(`the words after ${split.program} in command are moved to args`);
  return { ...entry, command: split.program, args: split.words };
}

/** Most clients ignore the settings of a login if `Authorization` is set. Plugboard rejects an entry with both. */
function dropUnusedLogin(entry: RawEntry, notes: string[]): RawEntry {
  const { auth, ...rest } = entry;
  const { headers } = entry;
  const isSet = isJsonObject(headers) && Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  if (!isSet || !isJsonObject(auth) || auth["type"] !== "oauth") return entry;
  notes.push("the settings of the login are left out, because the header Authorization is set");
  return rest;
}
