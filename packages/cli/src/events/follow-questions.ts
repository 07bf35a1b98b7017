/** Takes the questions of this command's own calls, one after another. What is done with one is not known here. */
import { sameCaller } from "@plugboard/contracts";
import type { HostApi, HostEvent, Question, Snapshot, Workspace } from "@plugboard/contracts";
import type { Interruption } from "../terminal/interruption.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { followEvents } from "./follow-events.ts";
import type { EventSubscription } from "./follow-events.ts";

export interface PromptContext {
  readonly api: HostApi;
  readonly workspace: Workspace;
  /** What was known when the asking began; it goes on from there. */
  readonly snapshot: Snapshot;
  readonly cli: CliContext;
  readonly interruption: Interruption;
  /** Whether the browser may be opened for a login that was agreed to. */
  readonly browser: boolean;
}

/** `gone` fires when the question is settled without an answer of ours. Must not reject: the next question must not suffer from this one. */
type AskQuestion = (question: Question, gone: AbortSignal) => Promise<void>;

export function followQuestions(
  { api, workspace, snapshot }: Pick<PromptContext, "api" | "workspace" | "snapshot">,
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
    if (question.owner === "workspace" || !sameCaller(question.owner, api.caller) || open.has(question.id)) return;
    const gone = new AbortController();
    open.set(question.id, gone);
    queue = queue
      .then(() => (gone.signal.aborted ? undefined : ask(question, gone.signal)))
      .finally(() => open.delete(question.id));
  }

  return {
    async stop() {
      await subscription.stop();
      for (const gone of open.values()) gone.abort();
      await queue;
    },
  };
}
