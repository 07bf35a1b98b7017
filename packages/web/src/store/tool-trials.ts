/**
 * The calls that the user tries on the page, the latest of each tool. A call goes on while the user looks at another
 * view, and its result stays until the page is left or another call of the tool replaces it.
 */
import { isHostError } from "@plugboard/contracts";
import type { JsonObject, Progress, ToolResult, Workspace } from "@plugboard/contracts";
import { itemKey } from "../format/item-key.ts";
import { messageOf } from "../format/message-of.ts";
import { newCallId } from "./page-call.ts";
import { measureQuestionWait } from "./question-wait.ts";
import type { OnEvent } from "./question-wait.ts";
import { Store } from "./store.ts";

export interface Trial {
  /** The id of the call. Different for each trial. */
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly state: TrialState;
}

export type TrialState =
  /** Not called yet. The form of the tool begins with the arguments. */
  | { readonly phase: "prepared" }
  | { readonly phase: "running"; readonly abort: AbortController; readonly progress?: Progress }
  | FinishedTrial;

export interface FinishedTrial {
  readonly phase: "finished";
  readonly ms: number;
  /** The part of `ms` in which the call waited for answers of the user. */
  readonly waitedMs: number;
  /** True if the user has seen the end on the page of the tool. */
  readonly seen: boolean;
  readonly result?: ToolResult;
  readonly error?: { readonly code: string; readonly message: string };
}

type Trials = ReadonlyMap<string, Trial>;

/** Above this number, the oldest trials that are not running are dropped, because their results can be long. */
const MAX_TRIALS = 30;

export class ToolTrials {
  /** The trials by the key of their tool, oldest first. */
  readonly trials = new Store<Trials>(new Map());
  readonly #workspace: () => Pick<Workspace, "tools">;
  readonly #onEvent: OnEvent;

  /** `workspace` returns that of the current connection, or throws if there is none. */
  constructor(workspace: () => Pick<Workspace, "tools">, onEvent: OnEvent) {
    this.#workspace = workspace;
    this.#onEvent = onEvent;
  }

  /** Makes the form of a tool begin with these arguments, unless a call of the tool is running. */
  prepare(server: string, tool: string, args: JsonObject): void {
    if (this.trials.get().get(itemKey(server, tool))?.state.phase === "running") return;
    this.#add({ id: newCallId(), server, tool, args, state: { phase: "prepared" } });
  }

  /** Never rejects. An earlier call of the tool goes on, but its result is not shown. */
  async call(server: string, tool: string, args: JsonObject): Promise<void> {
    const id = newCallId();
    const abort = new AbortController();
    const running = { phase: "running", abort } as const;
    this.#add({ id, server, tool, args, state: running });
    const startedAt = performance.now();
    const endWait = measureQuestionWait(this.#onEvent, { id, server });
    const onProgress = (progress: Progress) => this.#set(id, { ...running, progress });
    const finish = (end: Pick<FinishedTrial, "result" | "error">) =>
      this.#set(id, { phase: "finished", seen: false, ms: performance.now() - startedAt, waitedMs: endWait(), ...end });
    try {
      const options = { id, signal: abort.signal, onProgress };
      finish({ result: await this.#workspace().tools.call({ server, tool }, args, options) });
    } catch (error) {
      finish({ error: { code: isHostError(error) ? error.code : "ERROR", message: messageOf(error) } });
    }
  }

  /** Records that the user sees the end of a trial. */
  markSeen({ id, state }: Trial): void {
    if (state.phase === "finished" && !state.seen) this.#set(id, { ...state, seen: true });
  }

  #add(trial: Trial): void {
    const key = itemKey(trial.server, trial.tool);
    this.trials.update((old) => {
      const others = [...old].filter(([other]) => other !== key);
      const ended = others.filter(([, { state }]) => state.phase !== "running");
      const dropped = new Set(ended.slice(0, Math.max(0, others.length + 1 - MAX_TRIALS)));
      return new Map([...others.filter((entry) => !dropped.has(entry)), [key, trial]]);
    });
  }

  #set(id: string, state: TrialState): void {
    this.trials.update((old) => {
      const found = [...old].find(([, trial]) => trial.id === id);
      return found ? new Map(old).set(found[0], { ...found[1], state }) : old;
    });
  }
}
