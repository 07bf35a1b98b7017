/**
 * A program of a strict TypeScript project that uses the packed packages. Its argument is the path of
 * server-everything.
 */
import { openModel, runTurn } from "@plugboard/agent";
import type { Model, ModelConfig, Tools } from "@plugboard/agent";
import { createHost, isHostError } from "@plugboard/host";
import type { Answer, EmbeddedHost, HostEvent, Question, ServerEntry } from "@plugboard/host";
import { HostError } from "@plugboard/contracts";
import type { Target } from "@plugboard/mcp";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import type { AnthropicTool, ChatTool, ResponsesTool } from "./sdk-types.js";

const target: Target = {
  transport: "stdio",
  command: process.execPath,
  args: process.argv.slice(2),
  cwd: ".",
  env: {},
};
const everything: ServerEntry = { command: target.command, args: [...target.args, "stdio"] };

await embedHost();
console.log("unreachable:", await failsToConnect());
console.log("agent:", (await runAgent()).join(", "));
const config: ModelConfig = { providers: { lab: { baseUrl: "http://127.0.0.1:9/v1" } } };
console.log(
  "no model:",
  await openModel({ env: {}, config }).catch((error: unknown) => isHostError(error) && error.code),
);

/** Runs the loop with a model and a tool of the program. */
async function runAgent(): Promise<string[]> {
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const model: Model = {
    id: "own/model",
    async *stream({ messages }) {
      const result = messages.at(-1);
      if (result?.role === "tool") yield { type: "text", delta: `It is ${result.content[0]?.text}.` };
      else yield { type: "tool_call", callId: "1", tool: "now", input: "{}" };
      yield { type: "finish", reason: "stop", usage };
    },
  };
  const tools: Tools = { list: () => [{ name: "now", inputSchema: { type: "object" } }], call: async () => "noon" };
  const lines: string[] = [];
  for await (const event of runTurn({ model, tools, prompt: "What time is it?" })) {
    if (event.type === "tool.finished") lines.push(`${event.tool} → ${event.result.text}`);
    if (event.type === "text.delta") lines.push(event.text);
  }
  return lines;
}

async function embedHost(): Promise<void> {
  await using host = await createHost({
    servers: { everything },
    permissions: { allow: ["*"] },
    ports: { answer },
    persist: false,
  });
  await host.ready({ timeoutMs: 30_000 });
  console.log("formats:", convertTools(host));
  // The arguments that a model gives have no type.
  const args: unknown = JSON.parse('{ "message": "hello" }');
  const echoed = await host.tools.call("everything:echo", args, { signal: undefined });
  const [first] = echoed.content;
  // The type of a content block narrows it.
  if (first?.type === "text") console.log("echoed:", first.text.trimEnd());
  const asked = await host.tools.call("everything:trigger-elicitation-request");
  console.log("asked:", asked.content[1]?.["text"]);
  console.log("rejected:", await host.tools.call("everything:echo", '{ "message": "hello" }').catch(describeError));
  console.log("ended:", await firstEndedCall(host.events(0)));
}

async function firstEndedCall(events: AsyncIterable<HostEvent>): Promise<string | undefined> {
  for await (const event of events) if (event.type === "call.ended") return `${event.tool} ${event.outcome}`;
  return undefined;
}

async function answer(question: Question): Promise<Answer | undefined> {
  if (question.type !== "elicitation") return undefined;
  const { elicitation } = question;
  if (elicitation.mode === "url") return { type: "elicitation", action: "decline" };
  const required = elicitation.fields.filter((field) => field.required && field.type === "string");
  const content = Object.fromEntries(required.map(({ name }) => [name, "Ann"]));
  return { type: "elicitation", action: "accept", content };
}

/** Each list has the type that the SDK of its provider expects. Returns the different lengths of the lists. */
function convertTools(host: EmbeddedHost): number {
  const anthropic: AnthropicTool[] = host.tools.definitions("anthropic");
  const chat: ChatTool[] = host.tools.definitions("openai");
  const responses: ResponsesTool[] = host.tools.definitions("openai-responses");
  return new Set([anthropic.length, chat.length, responses.length]).size;
}

/** Checks that the error's code narrows the type of its details. */
function describeError(error: unknown): string {
  if (!isHostError(error) || error.code !== "INVALID_ARGUMENTS") throw error;
  const { tool = "a tool", reason }: { tool?: string; reason: string } = error.details;
  return `${tool}: ${reason}`;
}

async function failsToConnect(): Promise<boolean> {
  try {
    const fetch = nodeHttpFetch({ socketPath: "does-not-exist.sock" });
    await using host = await connectRemote({ fetch, version: "0.1.0", kind: "program" });
    return (await host.workspace({ cwd: "." })) === undefined;
  } catch (error) {
    return error instanceof HostError && error.code === "HOST_UNREACHABLE";
  }
}
