/** Adds a rule that the user has accepted at a permission question to the user's config. */
import { toHostError } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";
import { withOperations } from "../workspace/with-operations.ts";

/** Returns the reason if the rule is invalid. */
export async function addAllowRule(rule: string, cli: Pick<CliContext, "cwd" | "env">): Promise<string | undefined> {
  try {
    await withOperations(cli, (operations) => operations.addRules("allow", [rule]));
    return undefined;
  } catch (thrown) {
    const { code, message } = toHostError(thrown);
    if (code !== "USAGE") throw thrown;
    return message;
  }
}
