/** Plans and saves the definition of a server. On a terminal, offers to store its secrets outside of the file. */
import type { Operations, SavedServer, ServerDraft, StorableSecrets } from "@plugboard/contracts";
import { askYesNo } from "../../prompt/ask-yes-no.ts";
import type { CliContext } from "../../terminal/cli-context.ts";

export async function saveDraft(
  draft: ServerDraft,
  { json }: { readonly json: boolean },
  operations: Operations,
  cli: CliContext,
): Promise<SavedServer> {
  const { plan, file, storable } = await operations.planServer(draft, { findSecrets: cli.isInteractive && !json });
  const storeSecrets = storable !== undefined && (await wantsToStore(storable, file, cli));
  const saved = await operations.saveServer(plan, { storeSecrets });
  if (storeSecrets)
    for (const { key, name } of storable.found) cli.stderr.write(`Stored ${key} as the secret ${name}.\n`);
  return saved;
}

/** Returns false without a question if the secrets can't be stored, or if the file already has them in plain text. */
async function wantsToStore(
  { found, alreadyPlain, secretStoreProblem, unencrypted }: StorableSecrets,
  file: string,
  cli: CliContext,
): Promise<boolean> {
  if (alreadyPlain || secretStoreProblem !== undefined) return false;
  const keys = found.map(({ key }) => key).join(" and ");
  const [looks, it] = found.length === 1 ? ["looks like a secret", "it"] : ["look like secrets", "them"];
  const where = unencrypted ? " (unencrypted, because there is no keyring, in a file that only you can read)" : "";
  cli.stderr.write(`${keys} ${looks}, and ${file} would have ${it} in plain text.\n`);
  return askYesNo(`Store ${it} among your secrets instead${where}?`, "; nothing was added", cli);
}
