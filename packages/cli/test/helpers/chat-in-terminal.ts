/** Runs `plugboard chat` on a pseudo-terminal, with a running host and a model server that answers as the test says. */
import type { ServerState } from "@plugboard/contracts";
import { startDaemon } from "@plugboard/daemon";
import { startModelServer } from "@plugboard/testkit/model-server";
import type { AnswerPart, ModelServer, ModelServerRequest, ScriptedAnswer } from "@plugboard/testkit/model-server";
import { openTerminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import type { Terminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import { onTestFinished } from "vitest";
import { command, puppetServer, setUp } from "./run-plugboard.ts";
import type { Setup } from "./run-plugboard.ts";

export const KEYS = {
  enter: "\r",
  escape: "\u001b",
  ctrlC: "\u0003",
  ctrlO: "\u000f",
  ctrlU: "\u0015",
  tab: "\t",
  up: "\u001b[A",
} as const;

/** A server whose tool `write` returns its arguments. */
export const FILES = puppetServer({
  mirror: true,
  tools: [{ name: "write", description: "Writes a file.", inputSchema: { type: "object" } }],
});

export interface ChatOptions {
  readonly config?: object;
  /** By default, a new setup with the config. */
  readonly setup?: Setup;
  /** The answers of the model, one for each request. */
  readonly answers?: readonly ScriptedAnswer[];
  readonly args?: readonly string[];
  /** Variables that are added to the environment of the command. By default, they set the model. */
  readonly env?: { readonly [name: string]: string };
  readonly cols?: number;
  readonly rows?: number;
}

export interface ChatInTerminal {
  readonly terminal: Terminal;
  readonly model: ModelServer;
  readonly setup: Setup;
  /** Resolves when a server of the chat has reached the state. */
  serverIs(server: string, state: ServerState): Promise<void>;
  /** Opens another terminal. */
  open(options?: Pick<ChatOptions, "args" | "cols" | "rows">): Terminal;
}

/** Resolves when the chat is open. */
export async function openChat(options: ChatOptions = {}): Promise<ChatInTerminal> {
  const { config = { mcpServers: { files: FILES } }, answers = [], env = {} } = options;
  const model = await startModelServer(...answers);
  onTestFinished(() => model.close());
  const base = options.setup ?? (await setUp(config));
  const modelEnv = { PLUGBOARD_MODEL: "compatible/scripted", PLUGBOARD_MODEL_URL: model.url };
  const setup = { ...base, env: { ...base.env, ...modelEnv, ...env } };
  // The host gets the model from the environment of the command.
  const daemon = await startDaemon({ env: base.env });
  onTestFinished(() => daemon.stop());
  const open: ChatInTerminal["open"] = (further = {}) => runChat(setup, { ...options, ...further });
  const terminal = open();
  await terminal.waitForView(/^compatible\/scripted|^no model/m);
  const serverIs = async (server: string, state: ServerState) => {
    for await (const event of daemon.events(0)) {
      if (event.type === "server.changed" && event.server === server && event.state === state) return;
    }
  };
  return { terminal, model, setup, serverIs, open };
}

/** Runs the command in a terminal until the test finishes. */
export function runChat(setup: Setup, { args = [], cols, rows }: Pick<ChatOptions, "args" | "cols" | "rows"> = {}) {
  const size = { ...(cols !== undefined && { cols }), ...(rows !== undefined && { rows }) };
  const terminal = openTerminal(process.execPath, [command, "chat", ...args], { ...setup, ...size });
  onTestFinished(() => terminal.kill());
  return terminal;
}

export function say(text: string): ScriptedAnswer {
  return { parts: [{ text }] };
}

export function call(tool: string, args: object = {}): AnswerPart {
  return { call: tool, args };
}

/** Makes a promise `opened`, for which a part of an answer waits, and the function `open` that resolves it. */
export function makeGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** Answers with the text of the result of the last call. */
export function sayResult({ results }: ModelServerRequest) {
  return { parts: [{ text: `The tool said ${results.at(-1)?.text}` }] };
}

/** Answers with the message of the user. */
export function echo(request: ModelServerRequest) {
  return { parts: [{ text: `You said: **${userText(request)}**` }] };
}

/** Says "Counting" and goes on until the request is cancelled. */
export function countForever({ closed }: ModelServerRequest) {
  return { parts: [{ text: "Counting" }, { waitFor: closed }] };
}

/** Returns the latest message of the user as the model gets it. */
export function userText({ body }: ModelServerRequest): string {
  const messages = body["messages"] as { readonly role: string; readonly content: unknown }[];
  const content = messages.findLast(({ role }) => role === "user")?.content;
  if (!Array.isArray(content)) return String(content);
  return content.map(({ text }: { text?: string }) => text ?? "").join("\n");
}
