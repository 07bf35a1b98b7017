// @ts-check
/**
 * A minimal HTTP client: one POST per message on kept-alive connections, with JSON responses. Has no timeouts, checks,
 * streams or error handling. Frozen, because every figure is a ratio to it.
 */
import { Agent } from "undici";

/**
 * Resolves when the tools are listed.
 * @param {string} url
 */
export async function openHttp(url) {
  const { origin, pathname } = new URL(url);
  const agent = new Agent();
  let lastId = 0;
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
  };

  /** @param {object} message */
  function post(message) {
    const body = JSON.stringify(message);
    return agent.request({ origin, path: pathname, method: "POST", headers, body });
  }

  /**
   * @param {string} method
   * @param {object} params
   */
  async function request(method, params) {
    const response = await post({ jsonrpc: "2.0", id: ++lastId, method, params });
    const { result } = JSON.parse(await response.body.text());
    return result;
  }

  await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1.0.0" },
  });
  const accepted = await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  await accepted.body.dump();
  const { tools } = await request("tools/list", {});

  return {
    tools,
    /**
     * @param {string} name
     * @param {object} args
     */
    call: (name, args) => request("tools/call", { name, arguments: args }),
    close: () => agent.close(),
  };
}
