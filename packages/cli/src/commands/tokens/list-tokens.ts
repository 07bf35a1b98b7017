/** Implements `plugboard token list`. */
import type { TokenInfo } from "@plugboard/contracts";
import { renderTable } from "../../render/render-table.ts";
import { renderTime } from "../../render/render-time.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

/** Shows names, never tokens or their digests. */
export async function listTokens({ json }: { readonly json: boolean }, cli: CliContext): Promise<number> {
  const tokens = await withOperations(cli, (operations) => operations.tokens(), { anywhere: true });
  if (json) cli.stdout.json({ tokens });
  else cli.stdout.write(renderTokens(tokens));
  return 0;
}

function renderTokens(tokens: readonly TokenInfo[]): string {
  if (tokens.length === 0) return "No client has a token of its own. `plugboard token create <name>` creates one.\n";
  const rows = tokens.map(({ name, profile, mayApprove, createdAt }) => [
    name,
    profile ?? "all servers",
    mayApprove ? "yes" : "no",
    renderTime(createdAt),
  ]);
  return renderTable(["TOKEN", "PROFILE", "MAY APPROVE", "CREATED"], rows);
}
