/** Implements `plugboard add`. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { parseUrl } from "@plugboard/contracts";
import type { EditableScope, ServerEntry, SavedServer } from "@plugboard/contracts";
import { isUrl } from "../../command-line/is-url.ts";
import { usageError } from "../../command-line/usage-error.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { addFromRegistry } from "./add-from-registry.ts";
import { decideRoots, reportFolderArgument } from "./decide-roots.ts";
import type { RootsOptions } from "./decide-roots.ts";
import { entryFromOptions } from "./entry-from-options.ts";
import type { EntryOptions } from "./entry-from-options.ts";
import { printSaved } from "./print-saved.ts";
import { saveDraft } from "./save-draft.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { warnAboutOptions, warnAboutRelativePaths } from "./warn-about-words.ts";
import { askYesNo } from "../../prompt/ask-yes-no.ts";

export interface AddInput extends EntryOptions {
  readonly id: string;
  readonly scope: EditableScope | undefined;
  readonly replace: boolean;
  readonly json: boolean;
  readonly separator: boolean;
  /** The name of a server in the registry, and the options for it. */
  readonly fromRegistry: string | undefined;
  readonly registry: string | undefined;
  readonly input: readonly string[];
  readonly yes: boolean;
  readonly roots: RootsOptions["roots"];
}

/** `optionNames` are the options of the command, such as `--scope`. */
export async function addServer(input: AddInput, cli: CliContext, optionNames: readonly string[]): Promise<number> {
  const { id, scope = "project", replace } = input;
  // The URL is not repeated, because it may contain a password.
  if (isUrl(id))
    throw usageError(`the id is missing before the URL; write: plugboard add ${suggestId(id)} <URL>`, {
      command: "add",
    });
  const { fromRegistry } = input;
  if (fromRegistry !== undefined) return addFromRegistry({ ...input, fromRegistry }, cli);
  if (input.input.length > 0 || input.yes)
    throw usageError(`${input.yes ? "--yes" : "--input"} is for --from-registry`, { command: "add" });
  const saved = await withOperations(cli, async (operations) => {
    const [file] = await operations.configFiles({ scope });
    const { folder } = file!;
    const { entry, folderArgument } = decideRoots(findEntry(input, cli, folder), { scope, folder, roots: input.roots });
    const added = await saveDraft({ id, scope, entry, replace }, input, operations, cli);
    if (!input.separator) warnAboutOptions(input, optionNames, cli);
    warnAboutRelativePaths(entry, folder, cli);
    reportFolderArgument(folderArgument, id, cli);
    return added;
  });
  const offersTest = canOfferTest(saved, input, cli);
  printSaved(saved, { json: input.json, offersTest }, cli);
  return offersTest ? offerTest(id, cli) : 0;
}

function findEntry(input: AddInput, { cwd }: CliContext, folder: string): ServerEntry {
  return entryFromOptions(input, (path) =>
    [cwd, folder].some((base) => statSync(resolve(base, path), { throwIfNoEntry: false }) !== undefined),
  );
}

/** `https://mcp.notion.com/mcp` → `notion` */
function suggestId(url: string): string {
  const hostname = parseUrl(url)?.hostname ?? "";
  const labels = hostname.split(".").filter((label) => !["www", "mcp", "api"].includes(label));
  return /^[a-zA-Z0-9_-]{1,64}$/.test(labels[0] ?? "") ? labels[0]! : "my-server";
}

/** Returns true if the command can ask, and the test would start the definition that was saved. */
function canOfferTest(
  { definition, trust, hiddenBy }: SavedServer,
  { json }: { readonly json: boolean },
  { isInteractive }: CliContext,
): boolean {
  return isInteractive && !json && definition.enabled && trust?.stored !== false && hiddenBy.length === 0;
}

/** Returns the exit status of the test, or 0 if the user declines it. */
async function offerTest(id: string, cli: CliContext): Promise<number> {
  if (!(await askYesNo(`Test it now, as with \`plugboard test ${id}\`?`, `; "${id}" was added`, cli))) return 0;
  const { testServers } = await import("../servers/test-servers.ts");
  const input = { servers: [id], scope: undefined, require: [], config: [], mcpServer: [], json: false };
  return testServers(input, cli);
}
