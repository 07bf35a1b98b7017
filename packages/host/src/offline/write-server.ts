/**
 * Writes a server's definition to the config of a scope. A definition that the user adds to a project is trusted at
 * once, because the user has just given it. Other users of the project still have to trust it.
 */
import { toHostError } from "@plugboard/contracts";
import type { ConfigProblem, Env, HostErrorJson, ServerEntry } from "@plugboard/contracts";
import { describePlainSecret, findPlainSecrets } from "@plugboard/config/clients";
import type { ConfiguredServer, ConfigScope, DescribedDefinition } from "@plugboard/config";
import { editConfig, configureEntry, filesWithEntry, inspectConfig } from "@plugboard/config/edit";
import type { ExpectedEntry, InspectedFile } from "@plugboard/config/edit";
import { requireScopeFiles, describeConfigured } from "@plugboard/config";
import { trustDefinition } from "./trust-definition.ts";

/** The folder whose config is changed, and the environment that determines the paths of the files. */
export interface ConfigPlace {
  readonly cwd: string;
  readonly env: Env;
}

export interface ServerToWrite {
  readonly id: string;
  readonly entry: ServerEntry;
  readonly scope: ConfigScope;
  /** Overwrites an entry with the same id. If false, throws SERVER_EXISTS if there is such an entry. */
  readonly replace: boolean;
  /** Throws DEFINITION_CHANGED if the file has another entry. Without it, any entry is overwritten. */
  readonly expected?: ExpectedEntry;
  /** Stores the secrets that the entry refers to. Called only if the entry can be written. */
  readonly storeSecrets?: () => Promise<void>;
}

export interface WrittenServer {
  readonly action: "added" | "replaced" | "unchanged";
  readonly scope: ConfigScope;
  /** The definition with every value that may be a secret masked. Its `file` is the changed file. */
  readonly definition: DescribedDefinition;
  /** Only for a project: whether the user's trust in the definition is stored, or why not. */
  readonly trust?: { readonly stored: true } | { readonly stored: false; readonly error: HostErrorJson };
  /** The files with a higher priority that have an entry for the server, which is then in effect. */
  readonly hiddenBy: readonly string[];
  /** The files with a lower priority that have an entry for the server, which is then not in effect here. */
  readonly overrides: readonly string[];
  readonly problems: readonly ConfigProblem[];
}

export async function writeServer(
  { id, entry, scope, replace, expected, storeSecrets }: ServerToWrite,
  place: ConfigPlace,
): Promise<WrittenServer> {
  const { cwd, env } = place;
  const { files, folder } = await requireScopeFiles(scope, cwd, env);
  const all = await inspectConfig({ cwd, env });
  throwIfInvalid(all.filter(({ source }) => source === scope));
  const [existing] = filesWithEntry(all, id, scope);
  const file = existing?.file ?? files.at(-1)!;
  const { server, problems } = await configureEntry(id, entry, file, { source: scope, folder });
  const change = { type: "set_server", id, entry, mustBeNew: !replace, expected } as const;
  const edit = await editConfig(file, change, scope, { beforeWrite: storeSecrets });
  const priority = all.findIndex((inspected) => inspected.file === file);
  return {
    action: !edit.changed ? "unchanged" : edit.before === undefined ? "added" : "replaced",
    scope,
    definition: describeConfigured(server),
    ...(scope !== "user" && { trust: await storeTrust(server, place) }),
    hiddenBy: filesWithEntry(all.slice(priority + 1), id).map((inspected) => inspected.file),
    overrides: filesWithEntry(all.slice(0, priority), id).map((inspected) => inspected.file),
    problems: [...problems, ...(scope === "project" ? plainSecretProblems(server) : [])],
  };
}

/** Warns about secrets in a file that others may read. */
function plainSecretProblems({ id, file, definition }: ConfiguredServer): ConfigProblem[] {
  const secrets = "invalid" in definition ? [] : findPlainSecrets(definition, id);
  return secrets.map((secret) => ({ severity: "warning", file, server: id, message: describePlainSecret(secret) }));
}

/** Returns the error instead of throwing, because the definition is already written. */
export async function storeTrust(
  server: ConfiguredServer,
  { env }: ConfigPlace,
): Promise<NonNullable<WrittenServer["trust"]>> {
  try {
    await trustDefinition(server, env);
    return { stored: true };
  } catch (thrown) {
    return { stored: false, error: toHostError(thrown).toJSON() };
  }
}

/** Throws the error of the first invalid file. */
export function throwIfInvalid(files: readonly InspectedFile[]): void {
  for (const { error } of files) if (error) throw error;
}
