import { spawn } from "node:child_process";
import { once } from "node:events";
import { childrenOf, isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { expect, it } from "vitest";

it("isAlive and childrenOf follow a process to its exit", async () => {
  const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]);
  await once(child, "spawn");
  const pid = child.pid!;
  expect(isAlive(pid)).toBe(true);
  expect(childrenOf(process.pid)).toContain(pid);
  await expect(waitUntilDead(pid, 50)).rejects.toThrow(`process ${pid} is still alive after 50 ms`);
  child.kill("SIGKILL");
  await waitUntilDead(pid, 10_000);
  expect(isAlive(pid)).toBe(false);
  expect(childrenOf(process.pid)).not.toContain(pid);
});

it("waitUntilDead treats a zombie as dead", async () => {
  // The shell starts a child and then becomes a program that never reaps it.
  const script = 'sleep 60 & exec "$0" -e "console.log($!); setTimeout(() => {}, 60_000)"';
  const parent = spawn("sh", ["-c", script, process.execPath]);
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const zombie = Number(line.toString());
  process.kill(zombie, "SIGKILL");
  await waitUntilDead(zombie, 10_000);
  expect(() => process.kill(zombie, 0)).not.toThrow();
  parent.kill("SIGKILL");
  await once(parent, "exit");
});
