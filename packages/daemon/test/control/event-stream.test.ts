/** Tests event streams whose data can't be sent. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { EventStream } from "#control/event-stream.js";
import { sendJson } from "#http/send-json.js";

/** `JSON.stringify` throws for it. */
function nestedTooDeep(): unknown {
  let value: unknown = [];
  for (let depth = 0; depth < 100_000; depth++) value = [value];
  return value;
}

async function serve(handle: (...args: Parameters<Parameters<typeof createServer>[1] & object>) => void) {
  const server = createServer(handle);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each(["send", "sendNamed"] as const)(
  "EventStream.%s breaks off only its stream if an event is nested too deep",
  async (method) => {
    const url = await serve((request, response) => {
      const stream = new EventStream(request, response);
      const send = (data: unknown) => (method === "send" ? stream.send(data) : stream.sendNamed("news", data));
      send("first");
      if (request.url === "/deep") send(nestedTooDeep());
      stream.end();
    });
    const broken = await fetch(`${url}/deep`)
      .then((response) => response.text())
      .catch((thrown: unknown) => thrown);
    expect(broken).toBeInstanceOf(TypeError);
    expect(await (await fetch(url)).text()).toContain('data: "first"\n\n');
  },
);

it("EventStream sends a single event that is longer than the limit of unread bytes", async () => {
  const text = "x".repeat(100 * 1024 * 1024);
  const url = await serve((request, response) => {
    const stream = new EventStream(request, response);
    stream.send(text);
    stream.end();
  });
  const { byteLength } = await (await fetch(url)).arrayBuffer();
  expect(byteLength).toBe(text.length + 'data: ""\n\n'.length);
});

it("EventStream disconnects a client that leaves more unread than the limit", async () => {
  const MEGABYTE = "x".repeat(1024 * 1024);
  let sent = 0;
  const url = await serve((request, response) => {
    const stream = new EventStream(request, response);
    for (; sent < 200 && !response.destroyed; sent++) stream.send(MEGABYTE);
  });
  await expect((await fetch(url)).text()).rejects.toThrow();
  expect(sent).toBeLessThan(70);
});

it("sendJson throws before the head if the value is nested too deep, so that an error can be sent", async () => {
  const url = await serve((_request, response) => {
    try {
      sendJson(response, nestedTooDeep());
    } catch {
      sendJson(response, "an error", 500);
    }
  });
  expect((await fetch(url)).status).toBe(500);
});
