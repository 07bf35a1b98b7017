/** `/permissions`: the rules of the config, and the calls that the user has allowed. */
import type { StoredDecision } from "@plugboard/contracts";
import { renderGrantee } from "../../render/render-grantee.ts";
import { renderScope } from "../../render/render-scope.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { table } from "./catalog-commands.ts";
import type { SlashCommand } from "./slash-command.ts";

export const permissionsCommand: SlashCommand = {
  name: "permissions",
  usage: "[revoke id]",
  about: "show the rules and the calls that you have allowed",
  choices: ["revoke"],
  async run([action, id], { chat, session, cli, print, columns }) {
    if (action === "revoke") {
      if (id === undefined) throw new Error("Write the id after revoke. /permissions lists the ids.");
      const { permissions } = chat.workspace;
      await permissions.revoke(findId(await permissions.decisions(), id));
      return print("Revoked. You are asked again at the next call.\n");
    }
    const { cwd, configFiles: config = [] } = session.spec;
    const listed = await withOperations({ cwd, env: cli.env }, (operations) => operations.rules(), { config });
    const rules = listed.map(({ effect, rule, source }) => [effect, rule, source]);
    const decisions = await chat.workspace.permissions.decisions();
    const allowed = decisions.map(({ server, tool, grantee, id, ...decision }) => [
      `${server}:${tool}`,
      renderScope(decision),
      renderGrantee(grantee),
      id,
    ]);
    print([
      rules.length === 0
        ? "No rules: every call of a server's tool asks first.\n"
        : table(["EFFECT", "RULE", "SOURCE"], rules, columns),
      allowed.length === 0
        ? ""
        : ["\nCalls that you have allowed:\n", table(["TOOL", "ALLOWED", "FOR", "ID"], allowed, columns)],
    ]);
  },
};

/** Returns the id that begins with the prefix. */
function findId(decisions: readonly Pick<StoredDecision, "id">[], prefix: string): string {
  const ids = decisions.map(({ id }) => id);
  if (ids.includes(prefix)) return prefix;
  const [found, ...others] = ids.filter((id) => id.startsWith(prefix));
  if (found === undefined) throw new Error("There is no answer with this id. /permissions lists them.");
  if (others.length > 0) throw new Error(`${others.length + 1} ids begin with ${prefix}. Write more of the id.`);
  return found;
}
