/** Implements `plugboard token list`. */
import { readNamedTokens } from "@plugboard/host/tokens";
import type { NamedToken } from "@plugboard/host/tokens";
import { renderTable } from "../../render/render-table.ts";
import { renderTime } from "../../render/render-time.ts";
import type { CliContext } from "../../terminal/cli-context.ts";

/** Shows names, never tokens or their digests. */
export async function listTokens({ json }: { readonly json: boolean }, { env, stdout }: CliContext): Promise<number> {
  const tokens = await readNamedTokens(env);
  if (json) stdout.json({ tokens: tokens.map(withoutDigest) });
  else stdout.write(renderTokens(tokens));
  return 0;
}

function withoutDigest({ name, createdAt, profile, mayApprove }: NamedToken): Omit<NamedToken, "digest"> {
  return { name, createdAt, mayApprove, ...(profile !== undefined && { profile }) };
}

function renderTokens(tokens: readonly NamedToken[]): string {
  if (tokens.length === 0) return "No client has a token of its own. `plugboard token create <name>` creates one.\n";
  const rows = tokens.map(({ name, profile, mayApprove, createdAt }) => [
    name,
    profile ?? "all servers",
    mayApprove ? "yes" : "no",
    renderTime(createdAt),
  ]);
  return renderTable(["TOKEN", "PROFILE", "MAY APPROVE", "CREATED"], rows);
}
