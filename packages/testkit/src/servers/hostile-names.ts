/**
 * Fixture: a legacy stdio server that uses one text as the name of everything that it offers: `node hostile-names.js
 * <text>`. The tool `ask` sends a form with the text in all its parts, and then returns the text. All other tools
 * return the text at once.
 */
import { LinePeer, type RpcId, type RpcObject } from "./scripted/line-peer.ts";

const [, , text = ""] = process.argv;
const uri = `note://${encodeURIComponent(text)}`;
const skillUri = `skill://${encodeURIComponent(text)}/SKILL.md`;
const described = { title: text, description: text };
const string = { type: "string", ...described };
const choice = { type: "string", enum: [text, `${text} 2`] };
const inputSchema = {
  type: "object",
  required: [text],
  properties: {
    [text]: { type: "string" },
    [`${text} choice`]: choice,
    [`${text} const`]: { const: text },
    [`${text} json`]: {},
    [`${text} list`]: { type: "array", items: { type: "string" }, default: [text] },
    [`${text} object`]: { type: "object", properties: { [text]: string } },
    [`${text} one of`]: { anyOf: [{ ...string }, { type: "integer", title: text }] },
  },
};
const requestedSchema = {
  type: "object",
  required: [text],
  properties: {
    [text]: string,
    [`${text} choice`]: { ...choice, ...described },
    [`${text} choices`]: { type: "array", items: choice, ...described },
    [`${text} check`]: { type: "boolean", ...described },
    [`${text} number`]: { type: "number", ...described },
  },
};
const result = {
  content: [
    { type: "text", text },
    { type: "resource_link", uri, name: text, ...described },
    { type: "resource", resource: { uri, mimeType: text, text } },
    { type: "audio", mimeType: text, data: "AAAA" },
    { type: text, [text]: text },
  ],
  structuredContent: { [text]: text },
};
const frontmatter = { name: text, description: text };

const peer = new LinePeer(process.stdin, process.stdout);
const methods: { readonly [method: string]: (params: RpcObject) => RpcObject | Promise<RpcObject> } = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: {
      tools: {},
      prompts: {},
      resources: {},
      completions: {},
      extensions: { "io.modelcontextprotocol/skills": {} },
    },
    serverInfo: { name: text, title: text, version: text },
    instructions: text,
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: [
      { name: text, ...described, inputSchema, annotations: { title: text } },
      { name: "ask", ...described, inputSchema: { type: "object" } },
      { name: "form", ...described, inputSchema },
    ],
  }),
  "tools/call": async ({ name }) => {
    if (name === "ask") await peer.request("elicitation/create", { message: text, requestedSchema }).reply;
    return result;
  },
  "prompts/list": () => ({
    prompts: [{ name: text, ...described, arguments: [{ name: text, ...described, required: true }] }],
  }),
  "prompts/get": () => ({ messages: [{ role: "user", content: { type: "text", text } }] }),
  "completion/complete": () => ({ completion: { values: [text] } }),
  "resources/list": () => ({ resources: [{ uri, name: text, ...described, mimeType: text }] }),
  "resources/templates/list": () => ({
    resourceTemplates: [{ uriTemplate: `note://{${text}}/${text}`, name: text, ...described }],
  }),
  "resources/read": () => ({ contents: [{ uri, mimeType: "text/plain", text }] }),
  "skills/list": () => ({
    skills: [{ uri: skillUri, frontmatter, resources: [{ uri: skillUri, digest: text, size: 1 }] }],
  }),
};

process.stderr.write(`${text}\n`);
await peer.read(({ id, method, params }) => {
  if (id !== undefined) void answer(id, method, params);
});
process.exit();

async function answer(id: RpcId, method: string, params: RpcObject): Promise<void> {
  const handle = methods[method];
  if (handle) peer.send({ id, result: await handle(params) });
  else peer.send({ id, error: { code: -32601, message: `No ${text}` } });
}
