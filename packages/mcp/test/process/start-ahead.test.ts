/** Tests that a process can start before its connection asks for it. */
import { isAlive, serversOf, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "@plugboard/contracts";
import { Processes } from "#process/index.js";

function makeProcesses(maxStarts?: number) {
  const processes = new Processes(systemClock, undefined, maxStarts);
  onTestFinished(() => processes.stopAll());
  const { command, args } = scriptedLegacy();
  return { processes, spec: { server: "a", command, args, cwd: process.cwd(), env: {} } };
}

describe("Processes.startAhead", () => {
  it("starts one process, which the next call of `start` with an equal spec returns", async () => {
    const { processes, spec } = makeProcesses();
    processes.startAhead(spec);
    processes.startAhead({ ...spec, server: "b" });
    const first = await processes.start({ ...spec, server: "b" });
    const second = await processes.start(spec);
    expect(second.pid).not.toBe(first.pid);
    expect([first.pid, second.pid].map((pid) => isAlive(pid))).toEqual([true, true]);
  });

  it("starts a process that `start` does not return for another spec", async () => {
    const { processes, spec } = makeProcesses();
    processes.startAhead(spec);
    const other = await processes.start({ ...spec, env: { A: "1" } });
    const ahead = await processes.start(spec);
    expect(other.pid).not.toBe(ahead.pid);
  });

  it("does not throw if the command is not found, but `start` then rejects", async () => {
    const { processes, spec } = makeProcesses();
    const missing = { ...spec, command: "no-such-command" };
    processes.startAhead(missing);
    await expect(processes.start(missing)).rejects.toMatchObject({ code: "SERVER_SPAWN_FAILED" });
  });

  it("starts at most as many processes as may start at the same time", { meta: { covers: ["F55"] } }, async () => {
    const { processes, spec } = makeProcesses(2);
    const before = new Set(serversOf(process.pid));
    const specs = ["1", "2", "3"].map((n) => ({ ...spec, env: { N: n } }));
    for (const each of specs) processes.startAhead(each);
    expect(serversOf(process.pid).filter((pid) => !before.has(pid))).toHaveLength(2);
    const started = await Promise.all(specs.map((each) => processes.start(each)));
    expect(started.map(({ pid }) => isAlive(pid))).toEqual([true, true, true]);
  });

  it("starts a process that `stopAll` ends even if `start` has not been called for it", async () => {
    const { processes, spec } = makeProcesses();
    processes.startAhead(spec);
    const { pid } = await processes.start(spec);
    processes.startAhead(spec);
    await processes.stopAll();
    await waitUntilDead(pid, 5000);
    const { pid: next } = await processes.start(spec);
    expect(isAlive(next)).toBe(false);
  });
});
