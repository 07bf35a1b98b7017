/**
 * Fixture: a legacy stdio server that sends more than a person can read: `node asks-flood.js`. During a call of the
 * tool `ask` it sends `count` forms with a message of `chars` characters and a list of `choices`. It never answers the
 * call. After the first form it waits for `pause` milliseconds. The tool `answer` returns `count` texts of `chars`
 * characters, and `structured` one such text as structured content.
 */
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly [name: string]: number } };
}

const integer = { type: "integer" };
const inputSchema = {
  type: "object",
  properties: { count: integer, chars: integer, choices: integer, pause: integer },
};
let questions = 0;

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

async function ask({
  count = 1,
  chars = 0,
  choices = 0,
  pause = 0,
}: {
  readonly [name: string]: number;
}): Promise<void> {
  const list = Array.from({ length: choices }, (_, index) => `choice ${index}`);
  const field = { type: "string", ...(choices > 0 && { enum: list }) };
  const requestedSchema = { type: "object", properties: { field } };
  for (let index = 0; index < count; index++) {
    if (index === 1 && pause > 0) await setTimeout(pause);
    const message = `Question ${index} ${"x".repeat(chars)}`;
    send({ id: `question-${++questions}`, method: "elicitation/create", params: { message, requestedSchema } });
  }
}

function texts({ count = 1, chars = 1 }: { readonly [name: string]: number }): object[] {
  return Array.from({ length: count }, () => ({ type: "text", text: "x".repeat(chars) }));
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Message;
  if (id === undefined || method === undefined) return;
  const serverInfo = { name: "asks-flood", version: "1.0.0" };
  if (method === "initialize")
    return send({ id, result: { protocolVersion: "2025-11-25", serverInfo, capabilities: { tools: {} } } });
  if (method === "tools/list")
    return send({
      id,
      result: {
        tools: [
          { name: "ask", inputSchema },
          { name: "answer", inputSchema },
          { name: "structured", inputSchema },
        ],
      },
    });
  if (method === "tools/call" && params?.name === "ask") return void ask(params.arguments ?? {});
  if (method === "tools/call" && params?.name === "structured")
    return send({ id, result: { content: [], structuredContent: texts(params.arguments ?? {})[0] } });
  if (method === "tools/call") return send({ id, result: { content: texts(params?.arguments ?? {}) } });
  send(method === "ping" ? { id, result: {} } : { id, error: { code: -32601, message: `No ${method}` } });
});
