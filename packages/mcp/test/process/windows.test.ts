/** Tests the Windows code as far as that is possible on other systems. */
import { EventEmitter } from "node:events";
import type { ChildProcess } from "node:child_process";
import { PassThrough } from "node:stream";
import { ServerProcess } from "#process/server-process.js";
import { taskkill, windows } from "#process/windows.js";
import { systemClock } from "@plugboard/contracts";
import { describe, expect, it, vi } from "vitest";

it("taskkill ends a process with all its children", () => {
  expect(taskkill(4711, "D:\\Windows")).toEqual({
    command: "D:\\Windows\\System32\\taskkill.exe",
    args: ["/PID", "4711", "/T", "/F"],
  });
});

it("windows.loadSpawn returns cross-spawn for commands that are not executables", async () => {
  const { default: crossSpawn } = await import("cross-spawn");
  expect(await windows.loadSpawn()).toBe(crossSpawn);
});

describe("ServerProcess on Windows", () => {
  it("reports a missing command as an exit, although cross-spawn reports it after its shell has exited", async () => {
    const child = Object.assign(new EventEmitter(), {
      pid: 4711,
      exitCode: 1,
      signalCode: null,
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
    }) as unknown as ChildProcess;
    const server = new ServerProcess(child, windows.groupOf(child), systemClock);
    child.emit("error", Object.assign(new Error("spawn npx ENOENT"), { code: "ENOENT" }));
    expect(await server.exited).toBe("its command was not found");
    const stopped = vi.fn();
    await server.stop().then(stopped);
    expect(stopped).toHaveBeenCalled();
  });
});
