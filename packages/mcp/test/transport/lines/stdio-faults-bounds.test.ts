/** Tests real servers that send too much, too often or too slowly. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text as collect } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import { call, connect, expectFailure, makeConnection, expectText } from "../../helpers/connect.ts";
import { fixturePath } from "../../helpers/start-process.ts";
import { rawAnswer, rawWriterCommand } from "../../helpers/raw-writer-peer.ts";

const MIB = 1024 * 1024;

describe("A host with a server that sends a line over the size limit", { meta: { covers: ["F8"] } }, () => {
  const CAP = 16 * MIB;

  /** Runs a host with two servers in a process of its own, to measure the memory of the host. */
  const program = (args: object) => `
    import { systemClock } from "@plugboard/contracts";
    import { Connection } from "@plugboard/mcp";
        import { Processes } from "@plugboard/mcp/process";
    const processes = new Processes(systemClock);
    const caller = { kind: "program", id: "host" };
    const [flooding, other] = ["flooding", "other"].map((server) => new Connection({
      server, processes, clock: systemClock, startupTimeoutMs: 15000, requestTimeoutMs: 15000,
      target: { transport: "stdio", ...${JSON.stringify(rawWriterCommand())}, cwd: process.cwd(), env: {} },
      identity: { name: "host", version: "0" }, eraStore: { get: () => "legacy", set() {} },
      onUnattributedRequest: async () => ({ action: "decline" }), onChanged() {},
    }));
    const call = (connection, name, args) => connection.request(
      { method: "tools/call", params: { name, arguments: args } },
      { caller, timeoutMs: 60000, maxMs: 60000, elicitation: false },
    );
    const echo = async () => (await call(other, "echo", { text: "on" })).result?.content[0].text;
    for (let at = 0; at < 20; at++) { await echo(); await call(flooding, "echo", { text: "x".repeat(100000) }); }
    const pid = other.pid;
    const before = process.resourceUsage().maxRSS;
    const { error } = await call(flooding, "flood", ${JSON.stringify(args)});
    const grownKiB = process.resourceUsage().maxRSS - before;
    const survivor = { echo: await echo(), samePid: other.pid === pid, phase: other.state.phase };
    console.log(JSON.stringify({ error, grownKiB, survivor }));
    await Promise.all([flooding.stop(), other.stop()]);`;

  it.each([
    ["a line of 100 MB", { bytes: 100 * MIB }],
    ["an endless line", {}],
  ])(
    "closes only that server, and its memory grows by less than three times the limit (%s)",
    async (_, args) => {
      const host = spawn(process.execPath, ["--input-type=module", "-e", program(args)], {
        stdio: ["ignore", "pipe", "inherit"],
        cwd: import.meta.dirname,
      });
      const exited = once(host, "exit");
      const measured = JSON.parse(await collect(host.stdout)) as { grownKiB: number };
      expect(measured).toMatchObject({
        error: { code: "MESSAGE_TOO_LARGE", details: { server: "flooding", limitBytes: CAP } },
        survivor: { echo: "on", samePid: true, phase: "ready" },
      });
      expect(measured.grownKiB * 1024).toBeLessThan(3 * CAP);
      expect(await exited).toEqual([0, null]);
    },
    60_000,
  );
});

describe("A server that sends data slowly", { meta: { covers: ["F10", "R2.19"] } }, () => {
  it("does not extend the timeout of a call with parts of the response", async () => {
    const { session } = await connect(rawWriterCommand());
    const trickle = { text: rawAnswer("x".repeat(1000)), bytes_at_once: 1, every_ms: 20 };
    expect(expectFailure(await call(session, "write_raw", trickle, { timeoutMs: 300 }))).toMatchObject({
      code: "REQUEST_TIMEOUT",
      details: { afterMs: 300 },
    });
  });

  it("extends the timeout of a call with progress notifications, but only up to the maximum", async () => {
    const { session, waitForStderr } = await connect(rawWriterCommand());
    let reports = 0;
    const limits = { timeoutMs: 2000, maxMs: 3000, onProgress: () => (reports += 1) };
    expect(expectFailure(await call(session, "progress_forever", {}, limits))).toMatchObject({
      code: "REQUEST_TIMEOUT",
      details: { afterMs: 3000 },
    });
    expect(reports).toBeGreaterThan(10);
    await waitForStderr("cancelled ");
  });

  it("does not extend the start-up timeout with parts of the handshake", async () => {
    const script = `const handshake = JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} });
      let at = 0;
      setInterval(() => process.stdout.write(handshake[at++ % handshake.length]), 20);`;
    const { connection } = makeConnection(
      { command: process.execPath, args: ["-e", script] },
      { startupTimeoutMs: 500, limits: { silenceMs: 50 } },
    );
    await expect(connection.ready()).rejects.toMatchObject({
      code: "SERVER_NOT_RESPONDING",
      details: { afterMs: 500 },
    });
  });
});

describe("A server that sends 50 000 list_changed notifications", { meta: { covers: ["F19"] } }, () => {
  it.each([
    ["all at once", 1],
    ["in five bursts", 5],
  ])("is asked for its tools only a few times if the notifications come %s", async (_, bursts) => {
    const { session } = await connect(rawWriterCommand("--list-changed"));
    const lists = async () => Number(expectText(await call(session, "count_tool_lists")));
    for (let burst = 0; burst < bursts; burst++) {
      expect(expectText(await call(session, "announce", { times: 50_000 / bursts }))).toBe("announced");
    }
    await vi.waitFor(async () => expect(await lists()).toBeGreaterThanOrEqual(2), { timeout: 10_000 });
    expect(expectText(await call(session, "echo", { text: "on" }))).toBe("on");
    // The tools are listed once at the start. In each burst, one more listing runs and at most one waits.
    expect(await lists()).toBeLessThanOrEqual(1 + 2 * bursts);
  });
});

describe("A tool list with defects", { meta: { covers: ["F20"] } }, () => {
  const listing = (kind: string) => ({ command: process.execPath, args: [fixturePath("huge-tool-list"), kind] });

  it("is cut after the maximum number of pages", async () => {
    const { connection, session } = await connect(listing("pages"));
    const { tools, dropped } = connection.catalog;
    expect(tools.map(({ name }) => name)).toEqual(Array.from({ length: 100 }, (_, index) => `tool-${index + 1}`));
    expect(dropped).toHaveLength(101);
    expect(dropped[0]).toEqual({ tool: "#2", reason: "it has no name" });
    expect(dropped.at(-1)).toEqual({ tool: "…", reason: "the list goes on after 100 pages" });
    expect(expectText(await call(session, "echo", { text: "on" }))).toBe("on");
  });

  it("is cut after the maximum number of tools, without the invalid ones", async () => {
    const { connection, session } = await connect(listing("tools"));
    const { tools, dropped } = connection.catalog;
    expect(tools).toHaveLength(10_000);
    expect(tools.at(0)?.name).toBe("tool-0");
    expect(dropped.length).toBeLessThanOrEqual(102);
    expect(dropped.at(-1)).toEqual({ tool: "…", reason: "the list goes on after 10000 tools" });
    expect(expectText(await call(session, "echo", { text: "on" }))).toBe("on");
  });

  it(
    "keeps the valid tools beside an invalid one, over several pages",
    { meta: { covers: ["F20", "R2.16", "R3.77"] } },
    async () => {
      const { connection } = await connect(rawWriterCommand("--bad-tool", "--pages=3"));
      expect(connection.catalog.dropped).toEqual([{ tool: "#2", reason: "it has no name" }]);
      expect(connection.catalog.tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["echo", "write_raw", "exit"]),
      );
    },
  );
});
