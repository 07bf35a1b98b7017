// @ts-check
/**
 * Adds the token of a host to every request, because the conformance suite sends none. Also replaces the address of the
 * relay by the address of the host. Nothing else of requests and responses is changed.
 */
import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";
import { pipeline } from "node:stream";

/** @import { AddressInfo } from "node:net" */

/**
 * @param {string} url the endpoint of the host
 * @param {string} token
 */
export async function startTokenRelay(url, token) {
  const target = new URL(url);
  const server = createServer((incoming, response) => {
    const own = `:${/** @type {AddressInfo} */ (server.address()).port}`;
    const translate = (/** @type {string} */ text) =>
      text.endsWith(own) ? text.slice(0, -own.length) + `:${target.port}` : text;
    const { host = "", origin } = incoming.headers;
    const headers = {
      ...incoming.headers,
      host: translate(host),
      ...(origin !== undefined && { origin: translate(origin) }),
      authorization: `Bearer ${token}`,
    };
    const outgoing = sendRequest(target, { method: incoming.method ?? "GET", headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      pipeline(answer, response, () => {});
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}${target.pathname}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
