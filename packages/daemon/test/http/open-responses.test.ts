/** Tests that requests on closed or flooded connections leave nothing behind. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { OpenRequests } from "#http/open-requests.js";
import { DrainingHttpServer } from "#http/draining-http-server.js";

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function start(handle: Handle): Promise<{ listener: DrainingHttpServer; client: Socket }> {
  const listener = new DrainingHttpServer(handle);
  listener.server.listen(0, "127.0.0.1");
  await once(listener.server, "listening");
  onTestFinished(async () => {
    listener.stopAccepting();
    await listener.disconnect();
  });
  const client = connect((listener.server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  onTestFinished(() => void client.destroy());
  await once(client, "connect");
  return { listener, client };
}

const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

describe("DrainingHttpServer with pipelined requests", { meta: { covers: ["S23"] } }, () => {
  it("emits close once for each response when the client disconnects, so that all of them are forgotten", async () => {
    let closed = 0;
    const responses: ServerResponse[] = [];
    const { listener, client } = await start(async (_, response) => {
      responses.push(response);
      response.on("close", () => (closed += 1));
    });
    client.write(GET.repeat(10));
    await vi.waitFor(() => expect(responses).toHaveLength(10));
    client.destroy();
    await vi.waitFor(() => expect(closed).toBe(10));
    await listener.finished();
    expect(closed).toBe(10);
  });

  it("is finished when the pending responses have been sent", async () => {
    const responses: ServerResponse[] = [];
    const { listener, client } = await start(async (_, response) => void responses.push(response));
    client.resume().write(GET.repeat(2));
    await vi.waitFor(() => expect(responses).toHaveLength(2));
    let isFinished = false;
    const finished = listener.finished().then(() => (isFinished = true));
    responses[0]!.end("ok");
    await once(responses[0]!, "close");
    expect(isFinished).toBe(false);
    responses[1]!.end("ok");
    await finished;
  });

  it("closes a connection with more than 64 unanswered requests, and handles only the first 64", async () => {
    let handled = 0;
    const { client } = await start(async () => void (handled += 1));
    client.write(GET.repeat(100));
    await once(client, "close");
    expect(handled).toBe(64);
  });

  it("drops the body of a refused request while its response waits for an earlier one", async () => {
    const requests: IncomingMessage[] = [];
    const { client } = await start(async (request) => {
      if (requests.push(request) === 2) throw new HostError("UNAUTHORIZED", {});
    });
    client.write(`${GET}POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n${"x".repeat(30_000)}`);
    await vi.waitFor(() => expect(requests[1]?.readableEnded).toBe(true));
  });

  it("asks for no body of a refused request while its response waits for an earlier one", async () => {
    const responses: ServerResponse[] = [];
    const { client } = await start(async (_, response) => {
      if (responses.push(response) === 1) return;
      // The body is dropped at once.
      setImmediate(() => responses[0]!.end("first"));
      throw new HostError("UNAUTHORIZED", {});
    });
    let text = "";
    client.on("data", (data) => (text += String(data)));
    client.write(`${GET}POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
    await once(client, "close");
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 401"]);
  });
});

it("OpenRequests frees the places of queued requests when their connection closes", async () => {
  const open = new OpenRequests(8);
  let added = 0;
  const { client } = await start(async (_, response) => {
    open.add("client", response);
    added += 1;
  });
  client.write(GET.repeat(8));
  await vi.waitFor(() => expect(added).toBe(8));
  const later = { once: () => {} } as unknown as ServerResponse;
  expect(() => open.add("client", later)).toThrow("8 open requests");
  client.destroy();
  await vi.waitFor(() => open.add("client", later));
  // The response that was being sent frees one place, and the queued responses free the other places.
  for (let place = 1; place < 8; place++) open.add("client", later);
});
