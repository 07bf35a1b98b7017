/**
 * A legacy test server whose behavior is given as JSON: `node puppet-server.mjs '<JSON>'`.
 *
 *   tools        its list of tools
 *   copies       how often each tool is listed, under different names
 *   logs         the log messages that each call sends first
 *   asks         the elicitations that each call then sends
 *   result       the result of each call; by default the answers to `asks` as text
 *   mirror       the result of each call is its arguments
 *   characters   the result of each call is a text of this length
 *   resources    its list of resources, each with its `text`
 *   prompts      its list of prompts. Each has one message: the arguments as JSON
 *   completions  the values of arguments, by the name of the argument
 *   stderr       printed at the start
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
