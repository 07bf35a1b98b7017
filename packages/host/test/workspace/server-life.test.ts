/** Tests the life of a server as a program sees it: when it is ready, when a call times out, when it is unhealthy. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isHostError } from "@plugboard/contracts";
import { waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { embeddedHost, eventsOf, toolNamesOf, waitForEvent } from "../helpers/embedded-host.ts";

/** A server that writes the methods it gets to a journal, and answers `tools/list` when the file `go` exists. */
const HELD_LIST = `
  const fs = require("node:fs");
  const [journal, go] = process.argv.slice(1);
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  const serverInfo = { name: "held", version: "1" };
  const initialized = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
  const tools = [{ name: "go", inputSchema: { type: "object" } }];
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    fs.appendFileSync(journal, method + "\\n");
    if (method === "initialize") send({ id, result: initialized });
    else if (method === "tools/list") {
      const timer = setInterval(() => {
        if (!fs.existsSync(go)) return;
        clearInterval(timer);
        send({ id, result: { tools } });
      }, 5);
    } else if (id !== undefined) send({ id, error: { code: -32601, message: "unknown method" } });
  });`;

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-life-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it(
  "a server is ready only after the handshake and the list of its tools",
  { meta: { covers: ["R0.33", "R1.54"] } },
  async () => {
    const folder = await temporaryFolder();
    const [journal, go] = [join(folder, "journal"), join(folder, "go")];
    const server = { command: process.execPath, args: ["-e", HELD_LIST, journal, go] };
    const host = await embeddedHost({ servers: { s: server } });
    const received = async () => (await readFile(journal, "utf8").catch(() => "")).split("\n").filter(Boolean);
    await vi.waitFor(async () => expect(await received()).toContain("tools/list"), { timeout: 10_000 });
    expect(host.status()).toMatchObject([{ id: "s", state: "connecting" }]);
    expect(toolNamesOf(host, "s")).toEqual([]);
    await writeFile(go, "");
    expect(await host.ready()).toMatchObject({ errors: {} });
    expect(host.status()).toMatchObject([{ id: "s", state: "ready", tools: 1 }]);
    expect(toolNamesOf(host, "s")).toEqual(["go"]);
    const steps = ["initialize", "notifications/initialized", "tools/list"];
    expect((await received()).filter((method) => steps.includes(method))).toEqual(steps);
    const states = (await eventsOf(host, "server.changed")).map(({ state }) => state);
    expect(states).toEqual(["connecting", "ready"]);
  },
);

describe("a call without an answer", { meta: { covers: ["R0.25"] } }, () => {
  it.each([
    ["60 seconds by default", {}, 60_000],
    ["the time that the definition of its server sets", { request_timeout_ms: 20_000 }, 20_000],
  ])("fails after %s", async (_, entry, limitMs) => {
    // The fake clock runs by itself, and the test skips most of the waiting.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const host = await embeddedHost({ servers: { s: { ...scriptedLegacy(), ...entry } } });
    await host.ready();
    let error: unknown;
    const call = host.tools.call("s:hold", {}).catch((thrown: unknown) => (error = thrown));
    // The timeout starts when the request is sent. The answer to this later call shows that it has been sent.
    await host.tools.call("s:echo", { text: "hi" });
    vi.advanceTimersByTime(limitMs - 10_000);
    await host.tools.call("s:echo", { text: "hi" });
    expect(error).toBeUndefined();
    vi.advanceTimersByTime(10_000);
    await call;
    expect(isHostError(error) && error.toJSON()).toMatchObject({
      code: "REQUEST_TIMEOUT",
      details: { method: "tools/call", afterMs: limitMs },
    });
  });
});

it(
  "a suspended process fails its health checks, loses its tools, and is replaced",
  { meta: { covers: ["R3.52", "R4.25"] } },
  async () => {
    const limits = { healthTimeoutMs: 200, healthRetryMs: 50, firstRetryMs: 300 };
    const host = await embeddedHost({ servers: { s: { ...scriptedLegacy(), health_interval_ms: 100 } }, limits });
    await host.ready();
    const before = toolNamesOf(host, "s");
    expect(before).toContain("echo");
    const { pid } = host.status()[0]!;
    const seq = (await eventsOf(host, "server.changed")).at(-1)!.seq;
    process.kill(pid!, "SIGSTOP");
    const lost = await waitForEvent(host, "server.changed", ({ state }) => state !== "ready", seq);
    expect(lost.error).toMatchObject({ code: "CONNECTION_LOST" });
    expect(toolNamesOf(host, "s")).toEqual([]);
    await waitForEvent(host, "server.changed", ({ state }) => state === "ready", lost.seq);
    expect(toolNamesOf(host, "s")).toEqual(before);
    await waitUntilDead(pid!, 15_000);
    expect(host.status()).toMatchObject([{ state: "ready", restarts: 1 }]);
  },
);
