/** Tests that a program ends by itself after it has closed its connections. */
import { startFixture } from "@plugboard/testkit/fixture-process";
import { describe, expect, it, onTestFinished } from "vitest";
import { fixturePath } from "../../helpers/start-process.ts";

/** Prints how many timers keep the process alive after the connection has ended in the given way. */
const program = (end: string) => `
  import { systemClock } from "@plugboard/contracts";
    import { Connection } from "@plugboard/mcp";
    import { Processes } from "@plugboard/mcp/process";
  const connection = new Connection({
    server: "tested", processes: new Processes(systemClock), clock: systemClock,
    startupTimeoutMs: 60000, requestTimeoutMs: 60000,
    target: {
      transport: "stdio", command: process.execPath,
      args: [${JSON.stringify(fixturePath("raw-writer"))}], cwd: process.cwd(), env: {},
    },
    identity: { name: "host", version: "0" }, eraStore: { get: () => "legacy", set() {} },
    onUnattributedRequest: async () => ({ action: "decline" }), onChanged() {},
  });
  const call = (name) => connection.request(
    { method: "tools/call", params: { name, arguments: { text: "on" } } },
    { caller: { kind: "program", id: "host" }, elicitation: false },
  );
  const first = await call("echo");
  if (first.type !== "complete") throw new Error(JSON.stringify(first));
  ${end}
  console.log("timers", process.getActiveResourcesInfo().filter((one) => one === "Timeout").length);
`;

describe("A closed stdio connection", { meta: { covers: ["F50"] } }, () => {
  it.each([
    ["after it was closed", "await connection.stop();"],
    [
      "after the pipes of the ended process have closed",
      "await connection.stop(); for (let turn = 0; turn < 100; turn++) await new Promise((r) => setImmediate(r));",
    ],
    ["if its server ended first", 'await call("exit"); await connection.stop();'],
  ])("has no timer that keeps the process alive %s", async (_, end) => {
    const child = startFixture({ command: process.execPath, args: ["--input-type=module", "-e", program(end)] });
    onTestFinished(() => child.close());
    await child.stdout.waitFor("\n", 30_000);
    expect(child.stdout.text).toBe("timers 0\n");
  });
});
