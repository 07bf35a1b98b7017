/**
 * Fixture: a legacy stdio server whose tools have MCP Apps: `node apps.js [csp]`. `csp` is the JSON that the Apps of
 * the tools `declare` and `custom` declare. The App of `custom` is the HTML in the argument `text` of its latest call.
 * The tool `count` is only for Apps, and the tool `plan` only for models.
 */
import { createInterface } from "node:readline";
import { ECHO_APP } from "./apps/echo-app.ts";
import { FLOOD_APP } from "./apps/flood-app.ts";
import { HOSTILE_APP } from "./apps/hostile-app.ts";
import { NUISANCE_APP } from "./apps/nuisance-app.ts";

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly [key: string]: unknown };
}

const csp = JSON.parse(process.argv[2] ?? "{}") as object;
const inputSchema = { type: "object", properties: { text: { type: "string" } } };
const tool = (name: string, ui: object) => ({ name, description: `The tool ${name}`, inputSchema, _meta: { ui } });

const TOOLS = [
  tool("show", { resourceUri: "ui://apps/echo" }),
  tool("declare", { resourceUri: "ui://apps/declare" }),
  tool("custom", { resourceUri: "ui://apps/custom" }),
  tool("attack", { resourceUri: "ui://apps/hostile" }),
  tool("flood", { resourceUri: "ui://apps/flood" }),
  tool("nuisance", { resourceUri: "ui://apps/nuisance" }),
  tool("broken", { resourceUri: "ui://apps/missing" }),
  tool("count", { visibility: ["app"] }),
  tool("plan", { visibility: ["model"] }),
];

const VIEWS: { readonly [uri: string]: { readonly text: string; readonly ui: object } } = {
  "ui://apps/echo": { text: ECHO_APP, ui: { prefersBorder: false } },
  "ui://apps/declare": { text: ECHO_APP, ui: { csp, permissions: { camera: {} } } },
  "ui://apps/hostile": { text: HOSTILE_APP, ui: {} },
  "ui://apps/flood": { text: FLOOD_APP, ui: {} },
  "ui://apps/nuisance": { text: NUISANCE_APP, ui: {} },
};

let count = 0;
let customHtml = "";

function answer(method: string, params: { readonly [key: string]: unknown }): unknown {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-11-25",
        serverInfo: { name: "apps", version: "1.0.0" },
        capabilities: { tools: {}, resources: {} },
      };
    case "tools/list":
      return { tools: TOOLS };
    case "tools/call": {
      const { name, arguments: args } = params;
      if (name === "count") return { content: [{ type: "text", text: `count ${++count}` }] };
      const { text = "nothing" } = (args ?? {}) as { text?: string };
      if (name === "custom") customHtml = text;
      return { content: [{ type: "text", text: `shown ${text}` }], structuredContent: { text } };
    }
    case "resources/list":
      return { resources: Object.keys(VIEWS).map((uri) => ({ uri, name: uri })) };
    case "resources/templates/list":
      return { resourceTemplates: [] };
    case "resources/read": {
      const { uri } = params;
      const view = uri === "ui://apps/custom" ? { text: customHtml, ui: { csp } } : VIEWS[String(uri)];
      if (!view) return undefined;
      const { text, ui } = view;
      return { contents: [{ uri, mimeType: "text/html;profile=mcp-app", text, _meta: { ui } }] };
    }
    case "ping":
      return {};
  }
  return undefined;
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line) as Message;
  if (id === undefined) return;
  const result = answer(method, params);
  const reply = result === undefined ? { error: { code: -32601, message: `No ${method}` } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
});
