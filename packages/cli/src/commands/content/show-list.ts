/** Lists the resources, prompts or skills of all servers, or of one. Reports the servers that could not be listed. */
import { ERROR_TABLE, sanitizeLine } from "@plugboard/contracts";
import type { MultiServerList, Workspace } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

export interface ShowListInput extends CommandOptions {
  readonly server: string | undefined;
}

export interface ListFilter {
  readonly server?: string;
  readonly signal: AbortSignal;
}

export interface ShownList extends MultiServerList {
  /** The listed items, by their key in the JSON output. */
  readonly items: { readonly [key: string]: readonly object[] };
  readonly text: string;
}

export function showList(
  { server, ...options }: ShowListInput,
  cli: CliContext,
  load: (workspace: Workspace, filter: ListFilter) => Promise<ShownList>,
): Promise<number> {
  return withWorkspace(
    options,
    cli,
    async ({ workspace, interrupted: signal }) => {
      const list = await load(workspace, { ...(server !== undefined && { server }), signal });
      if (options.json) cli.stdout.json({ ...list.items, errors: list.errors });
      else {
        cli.stdout.write(list.text);
        reportProblems(list, cli);
      }
      return exitStatus(list, () => rejectOnInterrupt(isAnyListed(list, workspace, server), signal));
    },
    { server },
  );
}

/** Writes one line for each server that failed and each item that can't be used. */
function reportProblems({ errors, dropped = [] }: MultiServerList, { stderr }: CliContext): void {
  for (const [server, { code, message }] of Object.entries(errors)) {
    stderr.write(`${sanitizeLine(`${server}: ${code}: ${message}`)}\n`);
  }
  for (const { server, name, reason } of dropped) {
    stderr.write(`${sanitizeLine(`${server}: ${name} can't be used: ${reason}`)}\n`);
  }
}

/** Returns the status of the first error if no server could be listed. If one was, an empty list is correct. */
async function exitStatus({ items, errors }: ShownList, isAnyListed: () => Promise<boolean>): Promise<number> {
  const [first] = Object.values(errors);
  const isEmpty = Object.values(items).every((list) => list.length === 0);
  return first && isEmpty && !(await isAnyListed()) ? ERROR_TABLE[first.code].exit : 0;
}

async function isAnyListed({ errors }: ShownList, workspace: Workspace, only: string | undefined): Promise<boolean> {
  const servers = (await workspace.status()).filter(({ id }) => only === undefined || id === only);
  return servers.some(({ id, state }) => state === "ready" && !Object.hasOwn(errors, id));
}
