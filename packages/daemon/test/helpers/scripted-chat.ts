/** A chat in a running host, with a scripted model server and real MCP servers. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChatEvent, ChatSpec, HostApi, Question } from "@plugboard/contracts";
import { startModelServer } from "@plugboard/testkit/model-server";
import type { ModelServer, ScriptedAnswer } from "@plugboard/testkit/model-server";
import { onTestFinished } from "vitest";
import { startRunningHost } from "./running-host.ts";

/** One provider for each SDK and wire format. */
export const PROVIDERS = ["anthropic", "openai", "openai-chat", "compatible"] as const;

export interface ScriptedChat {
  readonly api: HostApi;
  readonly id: string;
  readonly model: ModelServer;
  /** The events of the chat so far. */
  readonly events: readonly ChatEvent[];
  send(text: string): Promise<void>;
  /** Waits for the next event of this type. */
  until<Type extends ChatEvent["type"]>(type: Type): Promise<Extract<ChatEvent, { type: Type }>>;
  question(): Promise<Question>;
  /** The calls and cancellations that the server `t` has received. */
  journal(): Promise<readonly string[]>;
  /** Returns the definition of another server of the same kind. */
  server(id: string): { command: string; args: string[] };
}

export interface ScriptedChatOptions extends Partial<ChatSpec> {
  readonly provider?: string;
  /** The size of the model's context window. */
  readonly contextTokens?: number;
}

/** Opens a chat with the server `t` of `turn-server.mjs`. Its tools are allowed, unless the options say otherwise. */
export async function openScriptedChat(
  script: readonly ScriptedAnswer[],
  { provider = "anthropic", contextTokens, ...spec }: ScriptedChatOptions = {},
): Promise<ScriptedChat> {
  const model = await startModelServer(...script);
  onTestFinished(() => model.close());
  const host = await startRunningHost({}, {}, {});
  onTestFinished(host.close);
  const api = host.daemon.connect("cli", { attended: true });
  const cwd = host.env["HOME"]!;
  const server = (id: string) => {
    const script = fileURLToPath(new URL("./turn-server.mjs", import.meta.url));
    return { command: process.execPath, args: [script, join(cwd, `${id}.journal`)] };
  };
  const { chat, seq } = await api.chats.create({
    cwd,
    servers: { t: server("t") },
    permissions: { allow: ["*"] },
    nativeTools: false,
    model: `${provider}/scripted`,
    env: modelEnv(model.url),
    ...(contextTokens !== undefined && { configFiles: [await writeModelConfig(cwd, provider, contextTokens)] }),
    ...spec,
  });
  const stored = api.events(seq)[Symbol.asyncIterator]();
  const events: ChatEvent[] = [];
  const next = async () => {
    const { value, done } = await stored.next();
    if (done) throw new Error("the events ended");
    if (value.type === "chat.event" && value.chat === chat.id) events.push(value.event);
    return value;
  };
  return {
    api,
    id: chat.id,
    model,
    events,
    server,
    send: async (text) => void (await api.chats.send(chat.id, { text })),
    async until<Type extends ChatEvent["type"]>(type: Type) {
      for (;;) {
        const event = await next();
        if (event.type !== "chat.event" || event.chat !== chat.id || event.event.type !== type) continue;
        return event.event as Extract<ChatEvent, { type: Type }>;
      }
    },
    async question() {
      for (;;) {
        const event = await next();
        if (event.type === "question.asked") return event.question;
      }
    },
    journal: async () => (await readFile(join(cwd, "t.journal"), "utf8").catch(() => "")).split("\n").filter(Boolean),
  };
}

/** Writes a config file with the size of the model's context window. */
async function writeModelConfig(folder: string, provider: string, contextTokens: number): Promise<string> {
  const file = join(folder, "model.json");
  const models = { scripted: { context_tokens: contextTokens } };
  await writeFile(file, JSON.stringify({ mcp: { model: { providers: { [provider]: { models } } } } }));
  return file;
}

function modelEnv(url: string) {
  return {
    ANTHROPIC_API_KEY: "anthropic-key",
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: "openai-key",
    OPENAI_BASE_URL: url,
    PLUGBOARD_MODEL_URL: url,
  };
}
