/** Tests the servers that a program passes to `createHost`: their forms, and how they are retried and shared. */
import { legacySdkServer } from "@plugboard/testkit/sdk-server-objects";
import { scriptedLegacy, startScriptedHttp } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";
import { embeddedHost, waitForEvent, makeTestHome, pidOf } from "../helpers/embedded-host.ts";

it(
  "createHost accepts servers in every form of the Agent SDK's mcpServers",
  { meta: { covers: ["R1.70"] } },
  async () => {
    const web = await startScriptedHttp((_, response) => void response.writeHead(404).end());
    onTestFinished(() => web.close());
    const headers = (key: string) => ({ "X-Key": key });
    const host = await embeddedHost({
      servers: {
        plain: scriptedLegacy(),
        process: { type: "stdio", ...scriptedLegacy("--pages=2"), env: { GIVEN: "yes" } },
        events: { type: "sse", url: web.url, headers: headers("sse") },
        page: { type: "http", url: web.url, headers: headers("http") },
        object: { type: "sdk", name: "object", instance: legacySdkServer().server },
      },
    });
    const { ready } = await host.ready();
    expect(ready).toEqual(["plain", "process", "object"]);
    expect(host.status().map(({ id, transport }) => [id, transport])).toEqual([
      ["plain", "stdio"],
      ["process", "stdio"],
      ["events", "sse"],
      ["page", "http"],
      ["object", "sdk"],
    ]);
    expect(new Set(web.requests.map((request) => request.headers["x-key"]))).toEqual(new Set(["sse", "http"]));
    expect(JSON.stringify(await host.tools.call("process:env", {}))).toContain("GIVEN");
    expect(await host.tools.call("object:echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
  },
);

it(
  "the limits of a host set the number of connection attempts and the pauses between them",
  { meta: { covers: ["R0.90"] } },
  async () => {
    const dying = { command: process.execPath, args: ["-e", "process.exit(3)"] };
    const host = await embeddedHost({ servers: { s: dying }, limits: { maxCrashes: 2, firstRetryMs: 5 } });
    await waitForEvent(host, "server.changed", ({ state }) => state === "error");
    expect(host.status()).toMatchObject([{ state: "error", restarts: 1, lastError: { code: "SERVER_CRASHED" } }]);
  },
);

it(
  "a host runs only one process of a server for all calls of ten callers",
  { meta: { covers: ["R0.5", "R0.91"] } },
  async () => {
    const home = await makeTestHome();
    const host = await home.host({ servers: { s: scriptedLegacy() } });
    await host.ready();
    const pid = pidOf(host, "s");
    for (let callers = 0; callers < 10; callers++) {
      const spec = { cwd: home.cwd, servers: { mine: scriptedLegacy() } };
      const workspace = await host.as("cli").workspace(spec);
      await workspace.tools.call("mine:echo", { text: "hi" });
      expect(await workspace.status()).toMatchObject([{ id: "mine", pid }]);
    }
  },
);
