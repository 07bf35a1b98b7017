/** Chats with a scripted model, for tests of `HostApi.chats`. */
import type { ChatEvent, ChatSpec, HostApi, HostEvent, Question } from "@plugboard/contracts";
import { startModelServer } from "@plugboard/testkit/model-server";
import type { ScriptedAnswer } from "@plugboard/testkit/model-server";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { onTestFinished } from "vitest";
import { makeWorkFolder } from "./contract-hosts.ts";

export const call = (tool: string, args: object = {}) => ({ call: tool, args });
export const echo = call("mcp__s__echo", { text: "hi" });
export const done = { parts: [{ text: "Done." }] };

export async function scriptedModel(...script: readonly ScriptedAnswer[]) {
  const server = await startModelServer(...script);
  onTestFinished(() => server.close());
  const env = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
  return { server, env };
}

export async function chatSpec(
  env: { readonly [name: string]: string },
  spec: Partial<ChatSpec> = {},
): Promise<ChatSpec> {
  return { cwd: await makeWorkFolder(), env, servers: { s: scriptedLegacy() }, permissions: { allow: ["*"] }, ...spec };
}

export function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((resolver) => (resolve = resolver));
  return { promise, resolve };
}

/** Follows the events of a chat from its creation on. */
export class Follower {
  readonly events: ChatEvent[] = [];
  readonly #iterator: AsyncIterator<HostEvent>;
  readonly #chat: string;

  constructor(api: HostApi, chat: string, seq: number) {
    this.#chat = chat;
    this.#iterator = api.events(seq)[Symbol.asyncIterator]();
  }

  async next(): Promise<HostEvent> {
    const { value, done: ended } = await this.#iterator.next();
    if (ended) throw new Error("the events ended");
    if (value.type === "chat.event" && value.chat === this.#chat) this.events.push(value.event);
    return value;
  }

  async until<Type extends ChatEvent["type"]>(type: Type): Promise<Extract<ChatEvent, { type: Type }>> {
    for (;;) {
      const event = await this.next();
      if (event.type !== "chat.event" || event.chat !== this.#chat || event.event.type !== type) continue;
      return event.event as Extract<ChatEvent, { type: Type }>;
    }
  }

  async question(): Promise<Question> {
    for (;;) {
      const event = await this.next();
      if (event.type === "question.asked") return event.question;
    }
  }
}
