/**
 * Describes a planned definition to the owner: what it runs, its entry, and what
 * changes. Masks values that may be secrets.
 */
import { resolve } from "node:path";
import type { DefinitionChange, EntryValue, ServerPlan } from "@plugboard/contracts";
import { diffJson } from "../../lib/json-diff.ts";
import { pendingServer } from "../../trust/pending-server.ts";
import { redactedEntry, unmaskedEntry } from "@plugboard/config";
import type { ConfiguredServer } from "@plugboard/config";

export type ValidDefinition = Exclude<ConfiguredServer["definition"], { invalid: string }>;

/**
 * `folder` is the base of relative paths. `isTyped` is true if the owner typed all values, and false if the draft had
 * masks that stand for values of the file.
 */
export function describePlannedTarget(
  definition: ValidDefinition,
  folder: string,
  isTyped: boolean,
): Pick<ServerPlan, "transport" | "runs" | "folder"> {
  const { transport } = definition;
  const runs = isTyped ? commandOf(definition) : maskedCommandOf(definition);
  if (transport !== "stdio") return { transport, runs };
  const { cwd } = (isTyped ? definition : redactedEntry(definition)) as { readonly cwd?: string };
  return { transport, runs, folder: workingFolder(folder, cwd) };
}

/** `old` is the server that the definition replaces. */
export function describeDefinition(
  server: ConfiguredServer,
  definition: ValidDefinition,
  old: ConfiguredServer | undefined,
): Pick<ServerPlan, "entry" | "variables" | "changes"> {
  const history = { lastTrusted: undefined, replaces: undefined };
  return {
    entry: redactedEntry(definition),
    variables: pendingServer({ ...server, definition }, history)?.variables ?? [],
    ...(old && { changes: changesBetween(old, definition) }),
  };
}

/** Also returns changes of masked values, which look equal before and after. */
function changesBetween({ definition: old }: ConfiguredServer, definition: ValidDefinition): DefinitionChange[] {
  const isValid = !("invalid" in old);
  const shown = diffJson(isValid ? redactedEntry(old) : {}, redactedEntry(definition));
  const all = isValid ? diffJson(unmaskedEntry(old), unmaskedEntry(definition)) : [];
  const isShown = (path: string) => shown.some((change) => change.path === path);
  const masked = all.filter(({ path }) => !isShown(path)).map(({ path }) => ({ path, before: "***", after: "***" }));
  return [...shown, ...masked];
}

/** The owner has just typed the command, so it is shown as it is. */
function commandOf(definition: ValidDefinition): readonly string[] {
  if (definition.transport === "stdio") return [definition.command, ...definition.args.map(argumentText)];
  return "url" in definition ? [definition.url] : [definition.name];
}

/**
 * Masks the command, because the owner has not typed all values, and may not be allowed to read the values of the file.
 */
function maskedCommandOf(definition: ValidDefinition): readonly string[] {
  const {
    command,
    args = [],
    url,
    name,
  } = redactedEntry(definition) as {
    readonly command?: string;
    readonly args?: readonly EntryValue[];
    readonly url?: string;
    readonly name?: string;
  };
  return command === undefined ? [url ?? name ?? ""] : [command, ...args.map(argumentText)];
}

/** A folder that begins with a variable is shown as it is written. */
function workingFolder(folder: string, cwd = "."): string {
  return cwd.startsWith("${") ? cwd : resolve(folder, cwd);
}

function argumentText(value: EntryValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
