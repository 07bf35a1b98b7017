/** Tests that the page shows the names of tools that real clients of the gateway get. */
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";
import { frontWith } from "../helpers/front-requests.ts";
import { startDaemonWith } from "../helpers/running-host.ts";

const LONG_ID = "a-server-with-a-name-that-is-longer-than-most";

it("operations.frontNames returns the names that clients get, with and without a profile", async () => {
  const profiles = {
    plain: { servers: ["s"], naming: "{tool}" },
    other: { servers: [LONG_ID], naming: "{tool}" },
    usual: { servers: ["s"] },
  };
  const servers = { s: scriptedLegacy(), [LONG_ID]: scriptedLegacy() };
  const running = await startDaemonWith({}, servers, {}, {}, profiles);
  onTestFinished(running.close);
  const fetch = nodeHttpFetch({ socketPath: socketPath(running.env) });
  const host = await connectRemote({ fetch, version: VERSION, kind: "cli" });
  onTestFinished(() => host.close());
  const front = frontWith(running, running.token);
  const listed = async (path: string) => {
    const session = (await front.initialize({ path })).headers.get("mcp-session-id")!;
    const response = await front.send({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { path, session });
    const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
    return result.tools.map(({ name }) => name);
  };

  const names = await host.operations.frontNames("s", "echo");
  expect(names).toEqual({ name: "s__echo", profiles: [{ profile: "plain", name: "echo" }] });
  expect(await listed("/mcp")).toContain("s__echo");
  expect(await listed("/mcp/p/usual")).toContain("s__echo");
  expect(await listed("/mcp/p/plain")).toContain("echo");

  const long = await host.operations.frontNames(LONG_ID, "ask_sampling");
  expect(long.name).toMatch(/^a-server-with-.*_[0-9a-f]{8}$/);
  expect(await listed("/mcp")).toContain(long.name);
  const [offered] = (await running.daemon.workspace.tools.list()).filter(
    ({ server, tool }) => server === LONG_ID && tool === "ask_sampling",
  );
  expect(offered!.name).toBe(`mcp__${LONG_ID}__ask_sampling`);
});
