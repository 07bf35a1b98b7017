/** Implements `plugboard add --from-registry`. */
import { ERROR_TABLE, HostError, toHostError } from "@plugboard/contracts";
import { filesWithEntry, inspectConfig } from "@plugboard/config/edit";
import { requireScopeFiles } from "@plugboard/config";
import { writeServer } from "@plugboard/host/config-commands";
import type { NeededSecret } from "@plugboard/config/registry";
import { usageError } from "../../command-line/usage-error.ts";
import { EXIT_DECLINED } from "../../prompt/confirm.ts";
import { renderError } from "../../render/render-error.ts";
import { renderMissingValues } from "../../render/servers/render-registry-entry.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { entryFromRegistry } from "../registry/entry-from-registry.ts";
import { storeSecrets } from "../registry/store-secrets.ts";
import type { AddInput } from "./add-server.ts";
import { decideRoots, reportFolderArgument } from "./decide-roots.ts";
import { withSettings } from "./entry-from-options.ts";
import { parseEnv, parseHeaders } from "./parse-pair.ts";
import { printWritten } from "./print-written.ts";
import type { ConfigScope } from "@plugboard/config";

/** Saves the entry first, then the secrets that the user has typed. */
export async function addFromRegistry(
  input: AddInput & { readonly fromRegistry: string },
  cli: CliContext,
): Promise<number> {
  const { id, scope = "project", replace, registry, transport } = input;
  if (input.target !== undefined) throw usageError("with --from-registry, give no command or URL", { command: "add" });
  if (!replace) await throwIfExists(id, scope, cli);
  const given = { env: parseEnv(input.env), headers: parseHeaders(input.header), args: input.arg };
  const source = { name: input.fromRegistry, registry, transport };
  const request = { id, ...source, inputs: input.input, given, isConfirmed: input.yes };
  const found = await entryFromRegistry(request, cli);
  if (!found) {
    cli.stderr.write("Nothing was added.\n");
    return EXIT_DECLINED;
  }
  // These options are already part of the entry.
  const withOptions = withSettings(found.entry, { ...input, env: [], header: [], arg: [] });
  const { folder } = await requireScopeFiles(scope, cli.cwd, cli.env);
  const { entry, folderArgument } = decideRoots(withOptions, { scope, folder, roots: input.roots });
  const written = await writeServer({ id, entry, scope, replace }, cli);
  reportFolderArgument(folderArgument, id, cli);
  const { missing, status } = await storeTypedSecrets(found.secrets, input, cli);
  const { variables } = found;
  // Lists the fields explicitly, because a secret also has a `value`.
  const secrets = missing.map(({ name, description, form }) => ({ name, description, form }));
  printWritten(written, { json: input.json, extra: { needs: { secrets, variables } } }, cli);
  if (!input.json) cli.stdout.write(renderMissingValues(missing, variables));
  return status;
}

/** Throws SERVER_EXISTS. Called before the user is asked anything. */
async function throwIfExists(id: string, scope: ConfigScope, { cwd, env }: CliContext): Promise<void> {
  const [existing] = filesWithEntry(await inspectConfig({ cwd, env }), id, scope);
  if (existing) throw new HostError("SERVER_EXISTS", { server: id, file: existing.file });
}

/** Returns the secrets that are not stored. Reports an error instead of throwing, because the entry is already saved. */
async function storeTypedSecrets(
  secrets: readonly NeededSecret[],
  { json }: AddInput,
  cli: CliContext,
): Promise<{ readonly missing: readonly NeededSecret[]; readonly status: number }> {
  try {
    const status = await storeSecrets(secrets, cli);
    return { missing: status === 0 ? secrets.filter(({ value }) => value === undefined) : secrets, status };
  } catch (thrown) {
    const error = toHostError(thrown);
    cli.stderr.write(renderError(error, { json }));
    return { missing: secrets, status: ERROR_TABLE[error.code].exit };
  }
}
