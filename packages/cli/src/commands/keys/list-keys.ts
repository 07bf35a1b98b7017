/** Implements `plugboard keys list`. */
import type { KeyInfo } from "@plugboard/contracts";
import { renderTable } from "../../render/render-table.ts";
import { renderTime } from "../../render/render-time.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

export async function listKeys({ json }: { readonly json: boolean }, cli: CliContext): Promise<number> {
  const keys = await withOperations(cli, (operations) => operations.keys(), { anywhere: true });
  if (json) cli.stdout.json({ keys });
  else cli.stdout.write(renderKeys(keys));
  return 0;
}

function renderKeys(keys: readonly KeyInfo[]): string {
  if (keys.length === 0) return "There is no key yet. The first form of a client creates one.\n";
  const rows = keys.map(({ id, createdAt, encrypts }) => [
    id,
    encrypts ? "encrypts and decrypts" : "decrypts",
    renderTime(createdAt),
  ]);
  return renderTable(["KEY", "USE", "CREATED"], rows);
}
