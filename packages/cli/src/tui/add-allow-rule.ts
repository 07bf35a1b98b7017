/** Adds a rule that the user has accepted at a permission question to the user's config. */
import { editConfig } from "@plugboard/config/edit";
import { parseRuleOrError, requireScopeFiles } from "@plugboard/config";
import type { CliContext } from "../terminal/cli-context.ts";

/** Returns the reason if the rule is invalid. */
export async function addAllowRule(
  rule: string,
  { cwd, env }: Pick<CliContext, "cwd" | "env">,
): Promise<string | undefined> {
  const parsed = parseRuleOrError("allow", rule);
  if ("error" in parsed) return `This is not a rule: ${parsed.error}.`;
  const { files } = await requireScopeFiles("user", cwd, env);
  await editConfig(files.at(-1)!, { type: "add_rule", effect: "allow", rule }, "user");
  return undefined;
}
