/** Offers to test a server that was just added. */
import type { SavedServer } from "@plugboard/contracts";
import { askYesNo } from "../../prompt/ask-yes-no.ts";
import type { CliContext } from "../../terminal/cli-context.ts";

/** Returns true if the command can ask, and the test would start the definition that was saved. */
export function canOfferTest(
  { definition, trust, hiddenBy }: SavedServer,
  { json }: { readonly json: boolean },
  { isInteractive }: CliContext,
): boolean {
  return isInteractive && !json && definition.enabled && trust?.stored !== false && hiddenBy.length === 0;
}

/** Returns the exit status of the test, or 0 without one. */
export async function offerTest(id: string, cli: CliContext): Promise<number> {
  if (!(await askYesNo(`Test it now, as with \`plugboard test ${id}\`?`, `; "${id}" was added`, cli))) return 0;
  const { testServers } = await import("../servers/test-servers.ts");
  const input = { servers: [id], scope: undefined, require: [], config: [], mcpServer: [], json: false };
  return testServers(input, cli);
}
