/** Which registries a client may name, through the doors of a running host. */
import { controlPaths } from "@plugboard/contracts";
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDoors } from "../helpers/doors.ts";

const NAME = "io.github.example/weather-mcp";

describe("a registry on this machine", () => {
  it("gets no request that the page asks for, and one that a command asks for", async () => {
    const doors = await openDoors();
    onTestFinished(doors.close);
    const registry = await startRegistryServer();
    onTestFinished(() => registry.close());
    const filling = { id: "w", name: NAME, choice: "any", values: {}, registry: registry.url };
    const requests: [string, unknown[]][] = [
      ["searchRegistry", [["weather"], { registry: registry.url, limit: 1 }]],
      ["registryServer", [NAME, { registry: registry.url }]],
      ["fillRegistryChoice", [filling]],
      ["planRegistryServer", [{ ...filling, scope: "user" }]],
    ];
    const send = async (holder: "page" | "socket", operation: string, args: unknown[]) => {
      const workspace = { cwd: doors.host.env["HOME"]! };
      const { body } = await doors.openChannel(holder, { operationsIn: workspace });
      const { channel } = body as { channel: string };
      return doors.send(holder, "POST", controlPaths.operations(channel, `operations.${operation}`), args);
    };
    for (const [operation, args] of requests) {
      const { body } = await send("page", operation, args);
      expect(body, operation).toMatchObject({
        error: { message: expect.stringContaining("its address is on this machine") as string },
      });
    }
    expect(registry.requests).toEqual([]);
    expect(await send("socket", ...requests[0]!)).toMatchObject({ status: 200, body: { servers: [{ name: NAME }] } });
  });
});
