/** Implements `plugboard enable` and `plugboard disable`. */
import type { EditableScope, EnabledServer } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

/**
 * Changes the entry of the server in the files of the scope. If only a lower layer defines the server, adds an entry
 * that contains nothing but `enabled`.
 */
export async function setEnabled(
  input: { readonly server: string; readonly scope: EditableScope | undefined; readonly json: boolean },
  enabled: boolean,
  cli: CliContext,
): Promise<number> {
  const { server: id, scope = "project", json } = input;
  const { stdout } = cli;
  const result = await withOperations(cli, (operations) => operations.enableServer(id, enabled, scope));
  const { file, changed, effective, definedIn } = result;
  if (json) {
    stdout.json({ id, scope, file, enabled, changed, effective });
    return 0;
  }
  const state = enabled ? "enabled" : "disabled";
  const command = enabled ? "enable" : "disable";
  stdout.write(
    changed
      ? `${enabled ? "Enabled" : "Disabled"} ${id} in ${file} (${scope})\n`
      : `${id} is already ${state} in ${file} (${scope})\n`,
  );
  // The user's files define the server for all projects, so the user may have meant all of them.
  if (definedIn?.source === "user")
    stdout.write(`This applies to the project. For all projects, run: plugboard ${command} ${id} --scope user\n`);
  if (effective !== state) cli.stderr.write(`warning: ${explainEffective(result)}\n`);
  return 0;
}

function explainEffective({ id, effective, decidedBy = "another file" }: EnabledServer): string {
  if (effective === "untrusted") return `"${id}" waits for your approval. Run \`plugboard trust ${id}\`.`;
  if (effective === "invalid") return `the definition of "${id}" is invalid. Run \`plugboard config validate\`.`;
  return `"${id}" stays ${effective}, because ${decidedBy} decides.`;
}
