/** Passes the questions that this command answers to a handler, one at a time. */
import { sameCaller } from "@plugboard/contracts";
import type {
  Caller,
  HostApi,
  HostEvent,
  PermissionQuestion,
  Question,
  Snapshot,
  Workspace,
} from "@plugboard/contracts";
import type { Interruption } from "../terminal/interruption.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { followEvents } from "./follow-events.ts";
import type { EventSubscription } from "./follow-events.ts";

export interface PromptContext {
  readonly api: HostApi;
  readonly workspace: Workspace;
  /** The state when the command began. Only events after its `seq` are followed. */
  readonly snapshot: Snapshot;
  readonly cli: CliContext;
  readonly interruption: Pick<Interruption, "signal" | "interrupt">;
  /** True if a login may open the browser. */
  readonly mayOpenBrowser: boolean;
  /** The caller whose questions are answered. By default the command itself. */
  readonly owner?: Caller;
  /** True if the user also answers questions that have no caller, but belong to the workspace. */
  readonly watches?: boolean;
  /** Returns whether the user has allowed the call on the command line. */
  readonly approves?: ((question: PermissionQuestion) => boolean) | undefined;
}

/**
 * Asks one question. `settled` aborts when the question is settled elsewhere. The promise must not reject, because the
 * next question waits for it.
 */
type AskQuestion = (question: Question, settled: AbortSignal) => Promise<void>;

type FollowedQuestions = Pick<PromptContext, "api" | "workspace" | "snapshot" | "owner" | "watches">;

export function followQuestions(
  { api, workspace, snapshot, owner: mine = api.caller, watches = false }: FollowedQuestions,
  ask: AskQuestion,
): EventSubscription {
  const open = new Map<string, AbortController>();
  let queue = Promise.resolve();
  snapshot.questions.forEach(add);
  const subscription = followEvents(api, snapshot.seq, onEvent);

  async function onEvent(event: HostEvent, missed: boolean): Promise<void> {
    if (missed) await catchUp();
    if (event.type === "question.asked") add(event.question);
    if (event.type === "question.settled") open.get(event.question.id)?.abort();
  }

  async function catchUp(): Promise<void> {
    const waiting = await workspace.inbox.list();
    for (const [id, settled] of open) if (!waiting.some((question) => question.id === id)) settled.abort();
    waiting.forEach(add);
  }

  function add(question: Question): void {
    const { owner } = question;
    const isMine = owner === "workspace" ? watches : sameCaller(owner, mine);
    if (!isMine || open.has(question.id)) return;
    const settled = new AbortController();
    open.set(question.id, settled);
    queue = queue
      .then(() => (settled.signal.aborted ? undefined : ask(question, settled.signal)))
      .finally(() => open.delete(question.id));
  }

  return {
    async stop() {
      await subscription.stop();
      for (const settled of open.values()) settled.abort();
      await queue;
    },
  };
}
