// @ts-check
/**
 * Makes the responses of the benchmark servers, for all transports: a legacy handshake and two tools. Large responses
 * are cached, so that the measured time contains little work of the server.
 */

const TOOLS = [
  {
    name: "echo",
    description: "Gives back the text",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  {
    name: "bytes",
    description: "Gives as much text as is asked for",
    inputSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
  },
];

const LINE = 'A line of "plain" text, as tools give it.\n';

/** The large results that were made before, by their length. @type {Map<number, string>} */
const written = new Map();

/**
 * @param {string} line one message
 * @returns {string} the response, or an empty string if there is none
 */
export function answer(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return "";
  const result = resultOf(method, params);
  return result === undefined
    ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"Method not found"}}`
    : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/**
 * @param {number} count
 * @returns {string} text of that length
 */
export function plainText(count) {
  return LINE.repeat(Math.ceil(count / LINE.length)).slice(0, count);
}

/**
 * @param {string} method
 * @param {any} params
 */
function resultOf(method, params) {
  switch (method) {
    case "initialize":
      return JSON.stringify({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "bench", version: "1.0.0" },
      });
    case "tools/list":
      return JSON.stringify({ tools: TOOLS });
    case "tools/call":
      return params.name === "echo" ? textResult(params.arguments.text) : largeResult(params.arguments.count);
    case "ping":
      return "{}";
    default:
      return undefined;
  }
}

/** @param {string} text */
function textResult(text) {
  return JSON.stringify({ content: [{ type: "text", text }] });
}

/** @param {number} count */
function largeResult(count) {
  const result = written.get(count) ?? textResult(plainText(count));
  written.set(count, result);
  return result;
}
