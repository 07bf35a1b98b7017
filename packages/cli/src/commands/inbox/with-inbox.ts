/** Connects a command to the inbox of the running host. Starts no host, because a new host has no questions. */
import { HostError } from "@plugboard/contracts";
import type { Question, Workspace } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import type { RemoteHost } from "@plugboard/remote";
import type { CliContext } from "../../terminal/cli-context.ts";
import { openInboxWorkspace } from "../../workspace/open-inbox-workspace.ts";
import { connectToRunningHost } from "../../workspace/open-host.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";

export interface InboxInput extends ConfigOptions {
  readonly json?: boolean;
}

export interface InboxContext {
  readonly api: RemoteHost;
  readonly workspace: Workspace;
}

/** Calls `run` with undefined if no host is running. */
export async function withInbox(
  input: InboxInput,
  cli: CliContext,
  run: (context: InboxContext | undefined) => Promise<number>,
): Promise<number> {
  const api = await connectToRunningHost(cli.env, {});
  if (!api) return run(undefined);
  try {
    return await run({ api, workspace: await openInboxWorkspace(api, toWorkspaceSpec(input, cli.cwd), cli) });
  } finally {
    await api.close();
  }
}

/** Finds a question by its id or by the beginning of it. Throws QUESTION_GONE if there is none. */
export async function findQuestion(id: string, context: InboxContext | undefined): Promise<Question> {
  const questions = (await context?.workspace.inbox.list()) ?? [];
  const [found, ...others] = questions.filter((question) => question.id.startsWith(id));
  if (!found) throw new HostError("QUESTION_GONE", { question: id });
  if (others.length > 0) throw usageError(`several questions begin with ${id}`, { command: "inbox" });
  return found;
}
