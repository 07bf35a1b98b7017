/** A host that says what it is told to, and a terminal, or pipes, before it: for what a real host seldom does. */
import { PassThrough } from "node:stream";
import type { Asking } from "#prompt/follow-questions.js";
import type { Following } from "#prompt/follow-events.js";
import type { Answer, HostApi, HostEvent, HostFact, Question, Workspace } from "@plugboard/contracts";
import { expect, onTestFinished, vi } from "vitest";

export const caller = { kind: "cli", id: "me" } as const;

export interface Scene {
  /** What the host goes through before anybody looks. */
  readonly facts?: readonly HostEvent[];
  /** What its inbox has. */
  readonly waiting?: readonly Question[];
  /** What comes of an answer, or of dismissing it: it may throw. */
  readonly settle?: (id: string) => void;
  readonly browser?: boolean;
  readonly openUrl?: Asking["surroundings"]["openUrl"];
}

/** The questions of the host come to `follow`; what is typed or piped goes to `stdin`. */
export function scene(follow: (asking: Asking) => Following, given: Scene) {
  const { facts = [], waiting = [], settle = () => {}, browser = true } = given;
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const more = new FactQueue(facts);
  let screen = "";
  stderr.on("data", (chunk: Buffer) => (screen += chunk.toString()));
  const answered: [string, Answer][] = [];
  const dismissed: string[] = [];
  const opened: string[] = [];
  const inbox = {
    list: async () => [...waiting],
    answer: async (id: string, answer: Answer) => {
      settle(id);
      answered.push([id, answer]);
    },
    dismiss: async (id: string) => {
      settle(id);
      dismissed.push(id);
    },
  };
  const openUrl = (url: string) => {
    opened.push(url);
    return given.openUrl?.(url) ?? Promise.resolve({ opened: true });
  };
  const asking = {
    api: { caller, events: (_after: number, signal: AbortSignal) => more.read(signal) } as unknown as HostApi,
    workspace: { inbox } as unknown as Workspace,
    snapshot: { seq: 0, servers: [], questions: [] },
    surroundings: { stdin, stderr, openUrl } as unknown as Asking["surroundings"],
    interruption: { signal: new AbortController().signal } as Asking["interruption"],
    browser,
  };
  const following = follow(asking);
  onTestFinished(() => following.stop());
  return {
    stdin,
    answered,
    dismissed,
    opened,
    tell: (fact: HostFact) => more.add(fact),
    seen: (text: string) => until(() => expect(screen).toContain(text)),
    screen: () => screen,
    clear: () => (screen = ""),
  };
}

export function until(holds: () => void): Promise<void> {
  return vi.waitFor(holds, 10_000);
}

class FactQueue {
  readonly #facts: HostEvent[];
  #wake = () => {};

  constructor(facts: readonly HostEvent[]) {
    this.#facts = [...facts];
  }

  add(fact: HostFact): void {
    this.#facts.push({ ...fact, seq: (this.#facts.at(-1)?.seq ?? 0) + 1, at: 0 });
    this.#wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<HostEvent> {
    signal.addEventListener("abort", () => this.#wake());
    for (let next = 0; !signal.aborted;) {
      const fact = this.#facts[next];
      if (fact) {
        next++;
        yield fact;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }
}
