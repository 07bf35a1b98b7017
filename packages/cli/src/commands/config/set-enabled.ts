/** Implements `plugboard enable` and `plugboard disable`. */
import {
  editConfig,
  filesWithEntry,
  inspectConfig,
  readStaticConfig,
  requireScopeFiles,
} from "@plugboard/host/config-commands";
import type { InspectedFile } from "@plugboard/host/config-commands";
import type { CliContext } from "../../terminal/cli-context.ts";
import { missingEntryError, throwIfInvalid } from "./scope.ts";
import type { ConfigScope } from "./scope.ts";
import { storeTrust } from "./write-server.ts";

interface SetEnabledInput {
  readonly server: string;
  readonly scope: ConfigScope | undefined;
  readonly json: boolean;
}

/** Changes the entry of the scope. A server of a lower layer gets an entry that only enables or disables it here. */
export async function setEnabled(input: SetEnabledInput, enabled: boolean, cli: CliContext): Promise<number> {
  const { server: id, scope = "project", json } = input;
  const { cwd, env, stdout } = cli;
  const { files } = await requireScopeFiles(scope, cwd, env);
  const all = await inspectConfig({ cwd, env });
  throwIfInvalid(all.filter(({ source }) => source === scope));
  const [own] = filesWithEntry(all, id, scope);
  const lower = own ? undefined : findLowerDefinition(all, id, scope);
  if (!own && !lower) throw missingEntryError(id, scope, all);
  // Throws before the change if another file is invalid, because the effect could not be shown afterwards.
  await readStaticConfig({ env }, { cwd });
  const file = own?.file ?? files.at(-1)!;
  const { changed } = await editConfig(file, { type: "set_enabled", id, enabled }, scope);
  if (enabled) await trustOwnSwitch(id, file, cli);
  const effective = await effectiveState(id, cli);
  if (json) {
    stdout.json({ id, scope, file, enabled, changed, effective });
    return 0;
  }
  const verb = enabled ? "enabled" : "disabled";
  stdout.write(
    changed ? `${capitalize(verb)} ${id} in ${file} (${scope})\n` : `${id} is already ${verb} in ${file} (${scope})\n`,
  );
  if (lower && lower.source === "user")
    stdout.write(
      `This applies to the project. For all projects, run: plugboard ${verb.slice(0, -1)} ${id} --scope user\n`,
    );
  if (effective !== verb) cli.stderr.write(`warning: ${explainEffective(id, effective, file, all)}\n`);
  return 0;
}

/** Returns the definition that an entry with only `enabled` would enable or disable. */
function findLowerDefinition(all: readonly InspectedFile[], id: string, scope: ConfigScope): InspectedFile | undefined {
  const own = all.findLastIndex(({ source }) => source === scope);
  return filesWithEntry(all.slice(0, own), id).find(({ layer }) => layer?.servers.some((server) => server.id === id));
}

/** Trusts the entry that enables a server of the user's in the project, because the user has just asked for it. */
async function trustOwnSwitch(id: string, file: string, cli: CliContext): Promise<void> {
  const { cwd, env } = cli;
  const { pending } = (await readStaticConfig({ env }, { cwd })).config;
  const own = pending.findLast((server) => server.id === id && server.enabledBy === file);
  if (own) await storeTrust(own, cli);
}

type EffectiveState = "enabled" | "disabled" | "untrusted" | "invalid";

async function effectiveState(id: string, { cwd, env }: CliContext): Promise<EffectiveState> {
  const { servers, pending } = (await readStaticConfig({ env }, { cwd })).config;
  const definition = servers.get(id)?.definition;
  if (!definition) return pending.some((server) => server.id === id) ? "untrusted" : "disabled";
  if ("invalid" in definition) return "invalid";
  return definition.enabled ? "enabled" : "disabled";
}

function explainEffective(id: string, state: EffectiveState, file: string, all: readonly InspectedFile[]): string {
  if (state === "untrusted") return `"${id}" waits for your approval. Run \`plugboard trust ${id}\`.`;
  if (state === "invalid") return `the definition of "${id}" is invalid. Run \`plugboard config validate\`.`;
  const higher = all.slice(all.findIndex((inspected) => inspected.file === file) + 1);
  const [deciding] = filesWithEntry(higher, id);
  const managed = all.filter(({ source }) => source === "managed");
  const other = deciding ?? filesWithEntry(managed, id)[0];
  return `"${id}" stays ${state}, because ${other?.file ?? "another file"} decides.`;
}

function capitalize(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
