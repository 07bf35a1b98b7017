/** Implements `plugboard enable` and `plugboard disable`. */
import type { EditableScope, EnabledServer } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

/** Changes the entry of the scope. A server of a lower layer gets an entry that only enables or disables it here. */
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
  const verb = enabled ? "enabled" : "disabled";
  stdout.write(
    changed
      ? `${enabled ? "Enabled" : "Disabled"} ${id} in ${file} (${scope})\n`
      : `${id} is already ${verb} in ${file} (${scope})\n`,
  );
  if (definedIn?.source === "user")
    stdout.write(
      `This applies to the project. For all projects, run: plugboard ${verb.slice(0, -1)} ${id} --scope user\n`,
    );
  if (effective !== verb) cli.stderr.write(`warning: ${explainEffective(result)}\n`);
  return 0;
}

function explainEffective({ id, effective, decidedBy = "another file" }: EnabledServer): string {
  if (effective === "untrusted") return `"${id}" waits for your approval. Run \`plugboard trust ${id}\`.`;
  if (effective === "invalid") return `the definition of "${id}" is invalid. Run \`plugboard config validate\`.`;
  return `"${id}" stays ${effective}, because ${decidedBy} decides.`;
}
