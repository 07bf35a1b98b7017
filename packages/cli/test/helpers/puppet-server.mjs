/**
 * A legacy test server whose behavior is given as JSON: `node puppet-server.mjs '<JSON>'`. `tools` is its list of tools,
 * and `copies` repeats each of them under other names. `asks` are the elicitations that each call sends first, and
 * `result` is the result of each call. By default, the result is the answers as text, with `mirror` the arguments, or with
 * `characters` a text of that length.
 * `resources` is its list of resources, each with its `text`, and `prompts` its list of prompts. Each prompt has one
 * message, the arguments as JSON. `completions` are the values of arguments by name. `stderr` is printed at the start, and `logs` are the log messages that each call sends first.
 */
import { createInterface } from "node:readline";

const script = JSON.parse(process.argv[2]);
const {
  tools = [{ name: "go", inputSchema: { type: "object" } }],
  asks = [],
  prompts = [],
  resources = [],
  completions,
  result,
  copies = 1,
  stderr = "",
  logs = [],
  mirror = false,
  characters,
} = script;
process.stderr.write(stderr);
const waiting = new Map();
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const listed = Array.from({ length: copies }, (_, index) =>
  tools.map((tool) => ({ ...tool, name: index === 0 ? tool.name : `${tool.name}_${index}` })),
).flat();

async function call({ arguments: args }) {
  if (characters !== undefined) return { content: [{ type: "text", text: "x".repeat(characters) }] };
  if (mirror) return { content: [{ type: "text", text: JSON.stringify(args) }] };
  for (const params of logs) send({ method: "notifications/message", params });
  const answers = asks.map((params, index) => {
    send({ id: `ask-${index}`, method: "elicitation/create", params });
    return new Promise((resolve) => waiting.set(`ask-${index}`, resolve));
  });
  const text = JSON.stringify(await Promise.all(answers));
  return result ?? { content: [{ type: "text", text }] };
}

const methods = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: {
      tools: {},
      ...(prompts.length > 0 && { prompts: {} }),
      ...(resources.length > 0 && { resources: {} }),
      ...(completions && { completions: {} }),
    },
    serverInfo: { name: "puppet", version: "1" },
  }),
  "tools/list": () => ({ tools: listed }),
  "tools/call": call,
  "prompts/list": () => ({ prompts }),
  "resources/list": () => ({ resources: resources.map(({ uri, name, description }) => ({ uri, name, description })) }),
  "resources/read": ({ uri }) => ({
    contents: resources.filter((resource) => resource.uri === uri).map(({ text = "" }) => ({ uri, text })),
  }),
  "completion/complete": ({ argument: { name, value } }) => ({
    completion: { values: (completions?.[name] ?? []).filter((candidate) => candidate.startsWith(value)) },
  }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "prompts/get": ({ arguments: args }) => ({
    messages: [{ role: "user", content: { type: "text", text: JSON.stringify(args) } }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result: answer } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(answer);
  else if (id !== undefined && methods[method])
    void Promise.resolve(methods[method](params)).then((methodResult) => send({ id, result: methodResult }));
  else if (id !== undefined) send({ id, error: { code: -32601, message: "unknown" } });
}
process.exit();
