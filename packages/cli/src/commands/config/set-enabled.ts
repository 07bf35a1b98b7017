/** Implements `plugboard enable` and `plugboard disable`. */
import { filesWithEntry } from "@plugboard/config/edit";
import { switchServer } from "@plugboard/host/config-commands";
import type { EffectiveState } from "@plugboard/host/config-commands";
import type { InspectedFile } from "@plugboard/config/edit";
import type { CliContext } from "../../terminal/cli-context.ts";
import { missingEntryError } from "./scope.ts";
import type { ConfigScope } from "@plugboard/config";

interface SetEnabledInput {
  readonly server: string;
  readonly scope: ConfigScope | undefined;
  readonly json: boolean;
}

/** Changes the entry of the scope. A server of a lower layer gets an entry that only enables or disables it here. */
export async function setEnabled(input: SetEnabledInput, enabled: boolean, cli: CliContext): Promise<number> {
  const { server: id, scope = "project", json } = input;
  const { cwd, env, stdout } = cli;
  const switched = await switchServer({ id, scope, enabled }, { cwd, env });
  if ("missingIn" in switched) throw missingEntryError(id, scope, switched.missingIn);
  const { file, changed, lower, effective, all } = switched;
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
