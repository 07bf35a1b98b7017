/** Tests when a method of the control API learns that its client has left. */
import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { requestSignal } from "#control/request-signal.js";

/** Sends a request, and returns its signal at the host. */
async function request(channel: AbortController) {
  let handle = (_received: { signal: AbortSignal; response: ServerResponse }) => {};
  const received = new Promise<{ signal: AbortSignal; response: ServerResponse }>((resolve) => (handle = resolve));
  const server = createServer((incoming, response) =>
    handle({ signal: requestSignal({ closed: channel.signal }, incoming, response), response }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.resume().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  return { client, ...(await received) };
}

describe("requestSignal", () => {
  it("aborts when the client closes the request", async () => {
    const { client, signal } = await request(new AbortController());
    expect(signal.aborted).toBe(false);
    const aborted = once(signal, "abort");
    client.destroy();
    await aborted;
  });

  it("aborts when the channel ends, or at once if the channel has already ended", async () => {
    const channel = new AbortController();
    const { signal } = await request(channel);
    expect(signal.aborted).toBe(false);
    channel.abort();
    expect(signal.aborted).toBe(true);
    expect((await request(channel)).signal.aborted).toBe(true);
  });

  it("leaves no listener at the channel once the response is complete", async () => {
    const channel = new AbortController();
    const { signal, response } = await request(channel);
    response.end("ok");
    await once(response, "close");
    expect([signal.aborted, getEventListeners(channel.signal, "abort")]).toEqual([false, []]);
  });
});
