/**
 * Fixture: a server with skills and with resources that can be subscribed to: `node skills.js legacy|modern
 * [--no-subscriptions]`. Lists the skills of `skills/library.ts`, two on each page. The tool `write` changes a file and
 * reports the update. The tool `subscriptions` answers with the URI of each subscription. The tool `exit` ends the
 * process.
 */
import { files, skills } from "./skills/library.ts";
import { LinePeer, type RpcId, type RpcObject } from "./scripted/line-peer.ts";

const isModern = process.argv[2] === "modern";
const PAGE_SIZE = 2;
const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
const capabilities = {
  tools: {},
  resources: { subscribe: !process.argv.includes("--no-subscriptions") },
  extensions: { "io.modelcontextprotocol/skills": {} },
};
const serverInfo = { name: "skills", version: "1.0.0" };
const inputSchema = { type: "object" };

const peer = new LinePeer(process.stdin, process.stdout);
/** The URI of each subscription. The key is the URI for a legacy client, and the id of the request for a modern one. */
const subscriptions = new Map<RpcId, string>();

const methods: { readonly [method: string]: (params: RpcObject, id: RpcId) => RpcObject | undefined } = {
  ...(isModern
    ? {
        "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities, serverInfo }),
        "subscriptions/listen": listen,
      }
    : {
        initialize: () => ({ protocolVersion: "2025-11-25", capabilities, serverInfo }),
        ping: () => ({}),
        "resources/subscribe": ({ uri }) => {
          subscriptions.set(String(uri), String(uri));
          return {};
        },
        "resources/unsubscribe": ({ uri }) => {
          subscriptions.delete(String(uri));
          return {};
        },
      }),
  "tools/list": () => ({ tools: ["write", "subscriptions", "exit"].map((name) => ({ name, inputSchema })) }),
  "tools/call": ({ name, arguments: args }) => call(String(name), args as { uri?: string; text?: string }),
  "resources/list": () => ({ resources: [...files.keys()].map((uri) => ({ uri, name: uri })) }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, mimeType: "text/markdown", text: fileAt(uri) }] }),
  "skills/list": ({ cursor = "0" }) => {
    const start = Number(cursor);
    const next = start + PAGE_SIZE;
    return { skills: skills.slice(start, next), ...(next < skills.length && { nextCursor: String(next) }) };
  },
  "skills/get": ({ uri }) => {
    const skill = skills.find((one) => one.uri === uri);
    if (!skill) throw new Error(`No skill is served at ${String(uri)}`);
    return { skill };
  },
};

await peer.read(({ id, method, params }) => {
  if (method === "notifications/cancelled") subscriptions.delete(params["requestId"] as RpcId);
  if (id === undefined) return;
  const answer = methods[method];
  if (!answer) return peer.send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  try {
    const result = answer(params, id);
    const modernFields = isModern ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    if (result) peer.send({ id, result: { ...modernFields, ...result } });
  } catch (error) {
    peer.send({ id, error: { code: -32602, message: (error as Error).message } });
  }
});
process.exit();

/** The request stays open until the client cancels it. */
function listen({ notifications }: RpcObject, id: RpcId): undefined {
  const { resourceSubscriptions = [] } = notifications as { resourceSubscriptions?: readonly string[] };
  for (const uri of resourceSubscriptions) subscriptions.set(id, uri);
  peer.notify("notifications/subscriptions/acknowledged", { notifications, _meta: { [SUBSCRIPTION_ID]: id } });
}

function call(name: string, { uri = "", text = "" }: { uri?: string; text?: string }): RpcObject {
  if (name === "exit") process.exit(1);
  if (name === "write") {
    files.set(uri, text);
    for (const [id, subscribed] of subscriptions) if (subscribed === uri) notifyUpdate(uri, id);
  }
  const answer = name === "write" ? "written" : JSON.stringify([...subscriptions.values()]);
  return { content: [{ type: "text", text: answer }] };
}

function notifyUpdate(uri: string, id: RpcId): void {
  peer.notify("notifications/resources/updated", { uri, ...(isModern && { _meta: { [SUBSCRIPTION_ID]: id } }) });
}

function fileAt(uri: unknown): string {
  const content = files.get(String(uri));
  if (content === undefined) throw new Error(`There is no resource ${String(uri)}`);
  return content;
}
