// @ts-check
/**
 * A minimal client of a gateway, the same for all contestants: one POST per request on kept-alive connections. Reads
 * responses as JSON, as a stream of one event, or from the separate stream of the older HTTP+SSE transport.
 */
import { Agent } from "undici";

/** @typedef {{ readonly resolve: (message: any) => void, readonly reject: (error: Error) => void }} Waiting */

/**
 * Opens a session and lists the tools.
 * @param {import("./gateway.mjs").Endpoint} endpoint
 * @returns {Promise<import("../contestants/index.mjs").Client>}
 */
export async function openClient({ url, headers: extra = {}, transport = "http", prefix = "", wrapping }) {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const { origin, pathname } = new URL(url);
  const stream = transport === "sse" ? await openStream(agent, origin, pathname) : undefined;
  const path = stream?.path ?? pathname;
  /** @type {{ [name: string]: string }} */
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...extra,
  };
  let lastId = 0;

  /** @param {object} message */
  const post = (message) => agent.request({ origin, path, method: "POST", headers, body: JSON.stringify(message) });

  /**
   * @param {string} method
   * @param {object} params
   */
  async function request(method, params) {
    const id = ++lastId;
    const streamed = stream?.answerTo(id);
    const response = await post({ jsonrpc: "2.0", id, method, params });
    const text = await response.body.text();
    if (response.statusCode >= 400) throw new Error(`${response.statusCode}: ${text}`);
    const session = response.headers["mcp-session-id"];
    if (typeof session === "string") headers["mcp-session-id"] = session;
    const message = streamed ? await streamed : parse(text, id);
    if (message.error) throw new Error(message.error.message);
    return message.result;
  }

  const { protocolVersion } = await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  });
  headers["mcp-protocol-version"] = protocolVersion;
  await (await post({ jsonrpc: "2.0", method: "notifications/initialized" })).body.dump();
  if (wrapping) {
    const { listTools, toCall, fromResult } = wrapping;
    return {
      tools: fromResult(await request("tools/call", listTools)),
      call: async (name, args) => fromResult(await request("tools/call", toCall(name, args))),
      close: () => agent.destroy(),
    };
  }
  const { tools } = await request("tools/list", {});
  return {
    tools: tools
      .filter((/** @type {{ name: string }} */ { name }) => name.startsWith(prefix))
      .map((/** @type {{ name: string }} */ { name }) => ({ name: name.slice(prefix.length) })),
    call: (name, args) => request("tools/call", { name: `${prefix}${name}`, arguments: args }),
    close: () => agent.destroy(),
  };
}

/**
 * Parses a response: a JSON message, or a stream of events, of which it returns the one with this id.
 * @param {string} text
 * @param {number} id
 */
function parse(text, id) {
  if (text.startsWith("{")) return JSON.parse(text);
  for (const line of text.split("\n")) {
    const message = line.startsWith("data:") && line.length > 6 ? JSON.parse(line.slice(5)) : undefined;
    if (message?.id === id) return message;
  }
  throw new Error(`no response in: ${text.slice(0, 200)}`);
}

/**
 * Opens the stream of the HTTP+SSE transport, whose first event names the path for requests.
 * @param {Agent} agent
 * @param {string} origin
 * @param {string} path
 */
async function openStream(agent, origin, path) {
  const { body } = await agent.request({ origin, path, method: "GET", headers: { accept: "text/event-stream" } });
  /** @type {Map<number, Waiting>} */
  const waiting = new Map();
  let rest = "";
  const endpoint = new Promise((resolve) => {
    body.setEncoding("utf8").on("data", (chunk) => {
      const events = (rest + chunk).split(/\r?\n\r?\n/);
      rest = events.pop() ?? "";
      for (const event of events) {
        const data = /^data: ?(.*)$/m.exec(event)?.[1] ?? "";
        if (/^event: ?endpoint/m.test(event)) resolve(data);
        else if (data !== "") receive(JSON.parse(data));
      }
    });
  });
  body.on("error", () => {});

  /** @param {{ id?: number }} message */
  function receive(message) {
    const one = waiting.get(message.id ?? 0);
    waiting.delete(message.id ?? 0);
    one?.resolve(message);
  }

  return {
    path: String(await endpoint),
    /** @param {number} id */
    answerTo: (id) => new Promise((resolve, reject) => waiting.set(id, { resolve, reject })),
  };
}
