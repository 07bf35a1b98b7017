// @ts-check
/**
 * Makes servers with any number of tools: their tools, their responses, and the servers as objects in this process.
 *
 * @typedef {{ readonly id?: unknown, readonly method: string, readonly params?: { readonly protocolVersion?: string } }} Request
 *
 * @typedef {object} Transport the end of the server
 * @property {(request: Request) => void} [onmessage]
 * @property {() => Promise<void>} start
 * @property {(response: object) => Promise<void>} send
 */

const VERBS = ["create", "read", "list", "update", "delete", "search", "export", "import", "merge", "archive"];
const NOUNS = [
  "issue",
  "invoice",
  "customer",
  "document",
  "calendar",
  "message",
  "deployment",
  "metric",
  "ticket",
  "page",
];
const SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu"];

/**
 * @param {number} servers
 * @param {number} tools of each server
 */
export function manyServers(servers, tools) {
  return Object.fromEntries(
    Array.from({ length: servers }, (_, at) => {
      const name = `server-${at}`;
      return [name, { type: /** @type {const} */ ("sdk"), name, instance: serverOf(toolsOf(at, tools)) }];
    }),
  );
}

/**
 * Returns the words that describe a tool. No other tool has the same `subject`.
 * @param {number} server
 * @param {number} tool
 */
export function topic(server, tool) {
  const verb = VERBS[tool % VERBS.length];
  const noun = NOUNS[(tool + server) % NOUNS.length];
  const digits = String(server * 1000 + tool).padStart(6, "0");
  const subject = digits.replaceAll(/\d/g, (digit) => SYLLABLES[Number(digit)] ?? "");
  return { name: `${verb}_${noun}_${tool}`, verb, noun, subject };
}

/**
 * @param {number} server
 * @param {number} count
 */
export function toolsOf(server, count) {
  return Array.from({ length: count }, (_, at) => {
    const { name, verb, noun, subject } = topic(server, at);
    return {
      name,
      title: `${verb} ${noun}`,
      description: `${verb} one ${noun} about ${subject} in the workspace, and say who changed it last and why.`,
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", description: `Which ${noun}` },
          fields: { type: "array", items: { type: "string" }, description: "What of it is wanted" },
          limit: { type: "integer", minimum: 1, maximum: 100 },
          options: {
            type: "object",
            properties: { dry_run: { type: "boolean" }, reason: { type: "string", maxLength: 500 } },
          },
        },
        required: ["id"],
      },
    };
  });
}

/** @param {readonly object[]} tools */
function serverOf(tools) {
  return {
    /** @param {Transport} transport */
    async connect(transport) {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- no event target
      transport.onmessage = (request) => {
        if (request.id !== undefined) void transport.send(answerWith(tools, request));
      };
      await transport.start();
    },
  };
}

/**
 * Returns the response of a server with these tools.
 * @param {readonly object[]} tools
 * @param {Request} request
 */
export function answerWith(tools, { id, method, params }) {
  const result = resultOf(method, params, tools);
  const ending = result ? { result } : { error: { code: -32601, message: "Method not found" } };
  return { jsonrpc: "2.0", id, ...ending };
}

/**
 * @param {string} method
 * @param {Request["params"]} params
 * @param {readonly object[]} tools
 */
function resultOf(method, params, tools) {
  if (method === "tools/list") return { tools };
  if (method !== "initialize") return undefined;
  return {
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "many", version: "1.0.0" },
  };
}
