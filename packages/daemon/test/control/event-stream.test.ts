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
