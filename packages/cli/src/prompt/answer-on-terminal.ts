/** Puts the questions of this command's own calls to the person at the terminal, one after another. */
import { HostError, sameCaller, sanitise, toHostError } from "@plugboard/contracts";
import type { HostApi, HostEvent, Question, Snapshot, Workspace } from "@plugboard/contracts";
import type { Interruption } from "../interruption.ts";
import type { Surroundings } from "../surroundings.ts";
import { followEvents } from "./follow-events.ts";
import type { Following } from "./follow-events.ts";
import { putQuestion } from "./put-question.ts";
import { openTerminalLines, Unanswered } from "./terminal-lines.ts";

export interface Asking {
  readonly api: HostApi;
  readonly workspace: Workspace;
  /** What was known when the asking began; it goes on from there. */
  readonly snapshot: Snapshot;
  readonly surroundings: Surroundings;
  readonly interruption: Interruption;
}

export function answerOnTerminal({ api, workspace, snapshot, surroundings, interruption }: Asking): Following {
  const open = new Map<string, AbortController>();
  let queue = Promise.resolve();
  snapshot.questions.forEach(add);
  const following = followEvents(api, snapshot.seq, receive);

  async function receive(event: HostEvent, missed: boolean): Promise<void> {
    if (missed) await catchUp();
    if (event.type === "question.asked") add(event.question);
    if (event.type === "question.settled") open.get(event.question.id)?.abort();
  }

  async function catchUp(): Promise<void> {
    const waiting = await workspace.inbox.list();
    for (const [id, gone] of open) if (!waiting.some((question) => question.id === id)) gone.abort();
    waiting.forEach(add);
  }

  function add(question: Question): void {
    if (question.owner === "workspace" || !sameCaller(question.owner, api.caller) || open.has(question.id)) return;
    const gone = new AbortController();
    open.set(question.id, gone);
    queue = queue.then(() => ask(question, gone.signal)).finally(() => open.delete(question.id));
  }

  /** Never rejects: the next question must not suffer from this one. */
  async function ask(question: Question, gone: AbortSignal): Promise<void> {
    if (gone.aborted) return;
    const lines = openTerminalLines(surroundings, gone, () => interruption.interrupt());
    try {
      const answer = await putQuestion(question, lines);
      if (answer) await workspace.inbox.answer(question.id, answer);
      else await workspace.inbox.dismiss(question.id);
    } catch (thrown) {
      lines.show(interruption.signal.aborted ? "\n" : `\n  ${whyUnanswered(thrown)}\n`);
      if (!gone.aborted) await workspace.inbox.dismiss(question.id).catch(() => {});
    } finally {
      lines.close();
    }
  }

  return {
    async stop() {
      await following.stop();
      for (const gone of open.values()) gone.abort();
      await queue;
    },
  };
}

function whyUnanswered(thrown: unknown): string {
  if (thrown instanceof Unanswered) {
    return thrown.why === "taken back"
      ? "No answer is needed any more: the question was taken back."
      : "Dismissed (Ctrl-D).";
  }
  if (thrown instanceof HostError && thrown.code === "QUESTION_GONE") {
    return "That came too late: the question was settled meanwhile.";
  }
  return sanitise(toHostError(thrown).message);
}
