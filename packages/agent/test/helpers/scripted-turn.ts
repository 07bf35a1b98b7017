/** Runs turns with the real SDKs of the providers against a scripted model server on loopback. */
import { openModel } from "@plugboard/agent";
import type { History, Model, ModelSettings, ToolDefinition, ToolOutput, Tools } from "@plugboard/agent";
import type { ChatEvent, Clock, JsonObject } from "@plugboard/contracts";
import { startModelServer } from "@plugboard/testkit/model-server";
import type { ModelServer, ScriptedAnswer } from "@plugboard/testkit/model-server";
import { onTestFinished } from "vitest";

/** One provider for each SDK and wire format. */
export const PROVIDERS = ["anthropic", "openai", "openai-chat", "compatible"] as const;

export const KEYS = { ANTHROPIC_API_KEY: "anthropic-key", OPENAI_API_KEY: "openai-key" };

export async function scriptedServer(...script: readonly ScriptedAnswer[]): Promise<ModelServer> {
  const server = await startModelServer(...script);
  onTestFinished(() => server.close());
  return server;
}

export function modelAt(
  server: ModelServer,
  provider: string = "anthropic",
  { clock = new InstantClock(), ...settings }: ModelSettings & { clock?: Clock } = {},
): Promise<Model> {
  const option = { model: `${provider}/scripted`, baseUrl: server.url, ...settings };
  return openModel({ option, env: KEYS, clock, random: () => 0 });
}

/** Records delays and lets them pass at once. */
export class InstantClock implements Clock {
  readonly delays: number[] = [];

  now(): number {
    return Date.parse("2026-01-01T00:00:00Z");
  }

  after(ms: number, run: () => void): () => void {
    this.delays.push(ms);
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  }
}

type ToolFunction = (args: JsonObject, signal: AbortSignal) => Promise<ToolOutput | string> | ToolOutput | string;

/** Offers functions as tools. A `source` makes their results untrusted. */
export function toolsOf(functions: { [name: string]: ToolFunction }, source?: string): Tools {
  return {
    list: () => Object.keys(functions).map((name) => definition(name, source)),
    call: async (name, args, { signal }) => {
      const run = functions[name];
      if (!run) throw new Error(`no function ${name}`);
      return run(args, signal);
    },
  };
}

export function definition(name: string, source?: string): ToolDefinition {
  return {
    name,
    description: `Runs ${name}`,
    inputSchema: { type: "object" },
    ...(source !== undefined && { source }),
  };
}

export const NO_TOOLS: Tools = toolsOf({});

/** Collects the events of a turn. `finished` is the last one, with the conversation after the turn. */
export async function collect(turn: AsyncGenerator<ChatEvent, History, void>, onEvent?: (event: ChatEvent) => void) {
  const events: ChatEvent[] = [];
  let next = await turn.next();
  for (; !next.done; next = await turn.next()) {
    events.push(next.value);
    onEvent?.(next.value);
  }
  const last = events.at(-1);
  if (last?.type !== "turn.finished") throw new Error(`the turn ended with ${last?.type}`);
  const ofType = <T extends ChatEvent["type"]>(type: T) =>
    events.filter((event): event is Extract<ChatEvent, { type: T }> => event.type === type);
  return {
    events,
    finished: { ...last, history: next.value },
    ofType,
    text: ofType("text.delta")
      .map(({ text }) => text)
      .join(""),
  };
}

/** Makes the ids `c0`, `c1` and so on. */
export function callIds(): () => string {
  let count = 0;
  return () => `c${count++}`;
}

export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
