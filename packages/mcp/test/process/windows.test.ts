/** What would be done on Windows, as far as that can be seen elsewhere. */
import { EventEmitter } from "node:events";
import type { ChildProcess } from "node:child_process";
import { PassThrough } from "node:stream";
import { ServerProcess } from "#process/server-process.js";
import { taskkill, windows } from "#process/windows.js";
import { systemClock } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";

it("ends a process with all that it has started, by the system's own program", () => {
  expect(taskkill(4711, "D:\\Windows")).toEqual({
    command: "D:\\Windows\\System32\\taskkill.exe",
    args: ["/PID", "4711", "/T", "/F"],
  });
});

it("starts what is no program by what cross-spawn makes of it", async () => {
  const { default: crossSpawn } = await import("cross-spawn");
  expect(await windows.spawn()).toBe(crossSpawn);
});

describe("a command that is not there, of which cross-spawn tells when its shell has ended", () => {
  it("is a server that ended, not an error that nobody handles", async () => {
    const child = Object.assign(new EventEmitter(), {
      pid: 4711,
      exitCode: 1,
      signalCode: null,
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
    }) as unknown as ChildProcess;
    const server = new ServerProcess(child, windows.group(child), systemClock);
    child.emit("error", Object.assign(new Error("spawn npx ENOENT"), { code: "ENOENT" }));
    expect(await server.exited).toBe("its command was not found");
    const stopped = vi.fn();
    await server.stop().then(stopped);
    expect(stopped).toHaveBeenCalled();
  });
});
