/** Implements `plugboard add --from-registry`. */
import { ERROR_TABLE, EXIT_STATUSES, HostError, toHostError } from "@plugboard/contracts";
import type { EditableScope, RegistrySecret } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { renderError } from "../../render/render-error.ts";
import { renderMissingValues } from "../../render/servers/render-registry-entry.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { entryFromRegistry } from "../registry/entry-from-registry.ts";
import type { AddInput } from "./add-server.ts";
import { decideRoots, reportFolderArgument } from "./decide-roots.ts";
import { readHeaders, withSettings } from "./entry-from-options.ts";
import { parseEnv } from "./parse-pair.ts";
import { printSaved } from "./print-saved.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { runWithOperations } from "../../workspace/run-with-operations.ts";

/** Saves the entry first, then the secrets that the user has typed. */
export async function addFromRegistry(
  input: AddInput & { readonly fromRegistry: string },
  cli: CliContext,
): Promise<number> {
  const { id, scope = "project", replace, registry, transport } = input;
  if (input.target !== undefined) throw usageError("with --from-registry, give no command or URL", { command: "add" });
  if (!replace) await throwIfExists(id, scope, cli);
  const given = { env: parseEnv(input.env), headers: readHeaders(input), args: input.arg };
  const source = { name: input.fromRegistry, registry, transport };
  const request = { id, ...source, inputs: input.input, given, isConfirmed: input.yes };
  const found = await entryFromRegistry(request, cli);
  if (!found) {
    cli.stderr.write("Nothing was added.\n");
    return EXIT_STATUSES.denied.status;
  }
  // These options are already part of the entry.
  const withOptions = withSettings(found.entry, {
    ...input,
    env: [],
    header: [],
    arg: [],
    bearerTokenEnvVar: undefined,
  });
  const saved = await withOperations(cli, async (operations) => {
    const [file] = await operations.configFiles({ scope });
    const { entry, folderArgument } = decideRoots(withOptions, { scope, folder: file!.folder, roots: input.roots });
    const { plan } = await operations.planServer({ id, scope, entry, replace }, { findSecrets: false });
    const added = await operations.saveServer(plan);
    reportFolderArgument(folderArgument, id, cli);
    return added;
  });
  const { missing, status } = await storeTypedSecrets(found.secrets, input, cli);
  const { variables } = found;
  // Lists the fields explicitly, because a secret also has a `value`.
  const secrets = missing.map(({ name, description, form }) => ({ name, description, form }));
  printSaved(saved, { json: input.json, extra: { needs: { secrets, variables } } }, cli);
  if (!input.json) cli.stdout.write(renderMissingValues(missing, variables));
  return status;
}

/** Throws SERVER_EXISTS. Called before the user is asked anything. */
async function throwIfExists(id: string, scope: EditableScope, cli: CliContext): Promise<void> {
  const { entries } = await withOperations(cli, (operations) => operations.listScope(scope));
  const existing = entries.findLast((entry) => entry.id === id);
  if (existing) throw new HostError("SERVER_EXISTS", { server: id, file: existing.file });
}

/** Returns the secrets that are not stored. Reports errors instead of throwing, because the entry is already saved. */
async function storeTypedSecrets(
  secrets: readonly RegistrySecret[],
  { json }: AddInput,
  cli: CliContext,
): Promise<{ readonly missing: readonly RegistrySecret[]; readonly status: number }> {
  try {
    const status = await storeSecrets(secrets, cli);
    return { missing: status === 0 ? secrets.filter(({ value }) => value === undefined) : secrets, status };
  } catch (thrown) {
    const error = toHostError(thrown);
    cli.stderr.write(renderError(error, { json }));
    return { missing: secrets, status: ERROR_TABLE[error.code].exit };
  }
}

/** Stores the secrets that the user has typed. Returns the exit status. */
async function storeSecrets(secrets: readonly RegistrySecret[], cli: CliContext): Promise<number> {
  const typed = secrets.filter((secret) => secret.value !== undefined);
  if (typed.length === 0) return 0;
  return runWithOperations({}, cli, async ({ operations }) => {
    for (const { name, value = "" } of typed) await operations.setSecret(name, value);
    return 0;
  });
}
