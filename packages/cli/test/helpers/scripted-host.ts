/** A fake host with scripted events, and a fake terminal, for situations that are rare with a real host. */
import { PassThrough } from "node:stream";
import type { PromptContext } from "#events/follow-questions.js";
import type { EventSubscription } from "#events/follow-events.js";
import type { Answer, HostApi, HostEvent, HostEventData, Question, Workspace } from "@plugboard/contracts";
import { makeCliContext } from "#terminal/cli-context.js";
import type { ProcessContext } from "#terminal/cli-context.js";
import { expect, onTestFinished, vi } from "vitest";

export const caller = { kind: "cli", id: "me" } as const;

export interface ScriptedHostOptions {
  /** The events that the host has emitted before the test begins. */
  readonly events?: readonly HostEvent[];
  /** The questions in the inbox. */
  readonly questions?: readonly Question[];
  /** Called for each answer and dismissal. May throw. */
  readonly onSettle?: (id: string) => void;
  readonly mayOpenBrowser?: boolean;
  readonly openUrl?: PromptContext["cli"]["openUrl"];
}

/** Calls `subscribe` with the fake host and terminal. The test types into `stdin`. */
export function startScriptedHost(
  subscribe: (context: PromptContext) => EventSubscription,
  options: ScriptedHostOptions,
) {
  const { events = [], questions = [], onSettle = () => {}, mayOpenBrowser = true } = options;
  const [stdin, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })];
  const queue = new EventQueue(events);
  let screen = "";
  stderr.on("data", (chunk: Buffer) => (screen += chunk.toString()));
  const answered: [string, Answer][] = [];
  const dismissed: string[] = [];
  const opened: string[] = [];
  const inbox = {
    list: async () => [...questions],
    answer: async (id: string, answer: Answer) => {
      onSettle(id);
      answered.push([id, answer]);
    },
    dismiss: async (id: string) => {
      onSettle(id);
      dismissed.push(id);
    },
  };
  const openUrl = (url: string) => {
    opened.push(url);
    return options.openUrl?.(url) ?? Promise.resolve({ opened: true });
  };
  const context = {
    api: { caller, events: (_after: number, signal: AbortSignal) => queue.read(signal) } as unknown as HostApi,
    workspace: { inbox } as unknown as Workspace,
    snapshot: { seq: 0, servers: [], questions: [] },
    cli: makeCliContext({ stdin, stdout: stderr, stderr, openUrl, env: {} } as unknown as ProcessContext),
    interruption: { signal: new AbortController().signal } as PromptContext["interruption"],
    mayOpenBrowser,
  };
  const subscription = subscribe(context);
  onTestFinished(() => subscription.stop());
  return {
    stdin,
    answered,
    dismissed,
    opened,
    emit: (event: HostEventData) => queue.add(event),
    waitForText: (text: string) => waitUntil(() => expect(screen).toContain(text)),
    screen: () => screen,
    clear: () => (screen = ""),
  };
}

export function waitUntil(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, 10_000);
}

class EventQueue {
  readonly #events: HostEvent[];
  #wake = () => {};

  constructor(events: readonly HostEvent[]) {
    this.#events = [...events];
  }

  add(event: HostEventData): void {
    this.#events.push({ ...event, seq: (this.#events.at(-1)?.seq ?? 0) + 1, at: 0 });
    this.#wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<HostEvent> {
    signal.addEventListener("abort", () => this.#wake());
    for (let next = 0; !signal.aborted;) {
      const event = this.#events[next];
      if (event) {
        next++;
        yield event;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }
}
