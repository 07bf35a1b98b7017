/** Tests the limit of the request bodies that one principal sends at the same time. */
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { HostError } from "@plugboard/contracts";
import type { McpRequestHandler } from "@plugboard/mcp";
import { ArrivingBodies, HttpFront } from "@plugboard/mcp/server-transport";
import { expect, it, onTestFinished } from "vitest";

async function startFront(): Promise<number> {
  const handler = { identity: { name: "tested", version: "0" } } as McpRequestHandler;
  const front = new HttpFront({ handler, arrivingBodies: new ArrivingBodies({ limit: 1000, unlimited: "owner" }) });
  const server = createServer((request, response) => {
    const id = request.url!.slice(1);
    front.handle(request, response, { id, name: id, mayApprove: false }).catch((error: unknown) => {
      if (error instanceof HostError) response.writeHead(429).end(error.message);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Sends a part of a body, and the rest when `finish` is called. Returns the response. */
async function send(port: number, principal: string, bytes: number) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  const response = once(socket, "data").then(([data]) => String(data));
  socket.write(`POST /${principal} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes + 1}\r\n\r\n${" ".repeat(bytes)}`);
  return { response, finish: () => socket.write("!") };
}

it("HttpFront refuses a body beyond the limit of its principal, and accepts bodies of other principals", async () => {
  const port = await startFront();
  const first = await send(port, "greedy", 900);
  const refused = await (await send(port, "greedy", 900)).response;
  expect(refused).toMatch(/429[^]*connection: close[^]*more than 1000 bytes at the same time/i);
  for (const principal of ["calm", "owner", "owner"]) {
    const sent = await send(port, principal, 900);
    sent.finish();
    expect(await sent.response).toContain("400 Bad Request");
  }
  first.finish();
  expect(await first.response).toContain("400 Bad Request");
  const again = await send(port, "greedy", 900);
  again.finish();
  expect(await again.response).toContain("400 Bad Request");
});
