import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { commandHome } from "../commands/command-home.mjs";
import { call } from "../commands/one-shot-script.mjs";
import { TASKS, checkUse } from "../commands/tasks.mjs";
import { RunnerProcess } from "../runner-process.mjs";

type Home = ReturnType<typeof commandHome>;

const homes: Home[] = [];

function newHome(): Home {
  const home = commandHome(process.execPath);
  homes.push(home);
  return home;
}

afterEach(() => {
  for (const home of homes.splice(0)) home.remove();
});

describe("the check of a benchmarked command", () => {
  const command = { version: "1.2.3" };
  const expected = { text: "call 7", ids: ["bench", "other-0"], serversStarted: 0 };
  const echoed = (text: string) => ({ content: [{ type: "text", text }] });
  const initialized = (protocolVersion: string) => ({ id: 1, result: { protocolVersion } });

  it.each([
    ["version", "1.2.3\n", "1.2.4\n"],
    ["list", ["bench", "other-0"], ["bench"]],
    ["warm-call", echoed("call 7"), echoed("call 6")],
    ["bridge", initialized("2025-11-25"), initialized("2024-11-05")],
    ["chat", "Ask something", "command not found"],
  ] as const)("accepts the right answer of the task %s, and no other", (task, right, wrong) => {
    expect(() => checkUse(task, command, { ...expected, answer: right })).not.toThrow();
    expect(() => checkUse(task, command, { ...expected, answer: wrong })).toThrow("a wrong answer");
  });

  it("fails if a warm call starts a server, or a cold call starts none", () => {
    const answer = echoed("call 7");
    expect(() => checkUse("warm-call", command, { ...expected, answer, serversStarted: 1 })).toThrow("1 servers");
    expect(() => checkUse("cold-call", command, { ...expected, answer, serversStarted: 1 })).not.toThrow();
    expect(() => checkUse("cold-call", command, { ...expected, answer })).toThrow("0 servers");
  });

  it("fails if the `node` baseline prints something", () => {
    const silent = { silent: true };
    expect(() => checkUse("version", silent, { ...expected, answer: "" })).not.toThrow();
    expect(() => checkUse("version", silent, { ...expected, answer: "1.2.3\n" })).toThrow("a wrong answer");
  });

  it("fails if a contestant can't do the task", async () => {
    await expect(TASKS.list.act({}, newHome(), "")).rejects.toThrow("the command can't do this task");
  });
});

describe("the home of a benchmarked command", () => {
  it("is empty, and no environment variable points to the user's folders", async () => {
    const home = newHome();
    const printed = await home.run("-p", "JSON.stringify([process.cwd(), process.env])");
    const [cwd, env] = JSON.parse(printed) as [string, { readonly [name: string]: string }];
    expect(readdirSync(cwd)).toEqual(["starts.txt"]);
    expect(env["HOME"]).toBe(cwd);
    for (const [name, path] of Object.entries(env))
      if (name.startsWith("XDG_") && /_(HOME|DIR)$/.test(name)) expect([cwd, dirname(path)]).toContain(cwd);
    expect(env["PLUGBOARD_CONFIG_PATH"]).toBeUndefined();
  });

  it("reports the exit status and the error output of a command", async () => {
    const script = "console.error('no such tool'); process.exitCode = 3";
    await expect(newHome().run("-e", script)).rejects.toThrow("it ended with 3: no such tool");
    await expect(newHome().runOn("-e", script)).rejects.toThrow("it ended with 3");
    await expect(newHome().initialize("-e", script)).rejects.toThrow("it ended with 3");
  });

  it("counts the servers that a command starts", async () => {
    const home = newHome();
    expect(home.serversStarted()).toBe(0);
    expect(await call(home, "hello")).toEqual({ content: [{ type: "text", text: "hello" }] });
    expect(home.serversStarted()).toBe(1);
  });
});

it("a runner that is killed stops the host that it has started", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plugboard-test-"));
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    const node = process.execPath;
    const spec = { benchmark: "cli-warm-call", contestant: "plugboard-cli", node, serverNode: node };
    const runner = new RunnerProcess(spec);
    await runner.begin();
    const [home = ""] = readdirSync(folder);
    expect(existsSync(join(folder, home, "starts.txt"))).toBe(true);
    await runner.kill();
    // The home is removed after the host has ended.
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(folder, { recursive: true, force: true });
  }
});
