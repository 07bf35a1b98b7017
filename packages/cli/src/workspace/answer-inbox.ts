/**
 * Answers the questions of the running host on the terminal: those of its workspaces, and those about calls of gateway
 * clients that can't ask the user. Used by `plugboard inbox --watch` and by `plugboard serve`.
 */
import type { Snapshot, Workspace, WorkspaceSpec } from "@plugboard/contracts";
import type { RemoteHost } from "@plugboard/remote";
import type { EventSubscription } from "../events/follow-events.ts";
import type { PromptContext } from "../events/follow-questions.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import type { Interruption } from "../terminal/interruption.ts";
import { answerOnTerminal } from "../prompt/answer-on-terminal.ts";
import { connectToRunningHost } from "./open-host.ts";
import { openInboxWorkspace } from "./open-inbox-workspace.ts";

/** A connection that the host counts as a user who watches the inbox. */
export interface InboxConnection {
  readonly api: RemoteHost;
  readonly workspace: Workspace;
  readonly snapshot: Snapshot;
  /** Resolves when the host ends or the signal aborts. */
  ended(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Returns undefined if no host is running. */
export async function connectToInbox(
  cli: Pick<CliContext, "env" | "stderr">,
  spec: WorkspaceSpec,
): Promise<InboxConnection | undefined> {
  const api = await connectToRunningHost(cli.env, { watchesInbox: true });
  if (!api) return undefined;
  try {
    const workspace = await openInboxWorkspace(api, spec, cli);
    const snapshot = await workspace.snapshot();
    return {
      api,
      workspace,
      snapshot,
      ended: async (signal) => {
        for await (const _ of api.events(snapshot.seq, signal));
      },
      close: () => api.close(),
    };
  } catch (error) {
    await api.close();
    throw error;
  }
}

/** Asks one question after the other until it is stopped. The terminal notifies the user of each. */
export function answerInbox(
  { api, workspace, snapshot }: Pick<PromptContext, "api" | "workspace" | "snapshot">,
  cli: CliContext,
  interruption: Interruption,
): EventSubscription {
  return answerOnTerminal({ api, workspace, snapshot, cli, interruption, mayOpenBrowser: true, watches: true });
}
