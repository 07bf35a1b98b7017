/** Published servers in a sandbox, and the life of a sandboxed process. Linux only. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { isAlive } from "@plugboard/testkit/process-alive";
import { everythingStdio } from "@plugboard/testkit/start-server";
import { filesystemStdio, memoryStdio, sequentialThinkingStdio } from "@plugboard/testkit/third-party-servers";
import type { SandboxPolicy } from "@plugboard/contracts";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { contentText, openThirdParty, toolCallOp } from "../foreign/open-third-party.ts";
import { tempFolder } from "../foreign/temp-folder.ts";
import type { TempFolder } from "../foreign/temp-folder.ts";
import { fastClock } from "../helpers/fast-clock.ts";
import { processesWith } from "../helpers/processes-with.ts";
import { startSandboxHost } from "../helpers/sandbox-host.ts";
import { makeProcesses, shellSpec, waitForStderr } from "../helpers/start-process.ts";

const OFFLINE: SandboxPolicy = { read: [], write: [], network: false };

describe.runIf(process.platform === "linux")("In a sandbox,", () => {
  let folder: TempFolder;
  let other: TempFolder;
  beforeEach(async () => {
    [folder, other] = await Promise.all([tempFolder(), tempFolder()]);
    return async () => void (await Promise.all([folder.remove(), other.remove()]));
  });

  async function open(command: { command: string; args: readonly string[] }, sandbox: SandboxPolicy, env = {}) {
    const server = await openThirdParty({ transport: "stdio", ...command, cwd: folder.path, env, sandbox });
    onTestFinished(() => server.close());
    return server;
  }

  it.for([false, true, ["example.com"]])("server-filesystem sees only its folder (network: %j)", async (network) => {
    await writeFile(folder.in("mine.txt"), "mine");
    await writeFile(other.in("hidden.txt"), "hidden");
    // The server itself would allow the second folder, too.
    const server = await open(filesystemStdio(folder.path, "/"), { ...OFFLINE, write: [folder.path], network });
    const read = async (path: string) => contentText(await server.result(toolCallOp("read_text_file", { path })));
    expect(await read(folder.in("mine.txt"))).toBe("mine");
    expect(await read(other.in("hidden.txt"))).toContain("ENOENT");
    await server.result(toolCallOp("write_file", { path: folder.in("new.txt"), content: "new" }));
    expect(await readFile(folder.in("new.txt"), "utf8")).toBe("new");
    expect(contentText(await server.result(toolCallOp("write_file", { path: "/planted", content: "x" })))).toContain(
      "EROFS",
    );
  });

  it("server-memory stores its graph in the folder that it may write", async () => {
    const server = await open(
      memoryStdio(),
      { ...OFFLINE, write: [folder.path] },
      { MEMORY_FILE_PATH: folder.in("graph.jsonl") },
    );
    await server.result(
      toolCallOp("create_entities", { entities: [{ name: "Ann", entityType: "person", observations: [] }] }),
    );
    expect(await readFile(folder.in("graph.jsonl"), "utf8")).toContain("Ann");
  });

  it("server-everything and server-sequential-thinking work with the defaults", async () => {
    const defaults = { read: [], write: [], network: true };
    const [everything, thinking] = await Promise.all([
      open(everythingStdio(), defaults),
      open(sequentialThinkingStdio(), defaults),
    ]);
    expect(contentText(await everything.result(toolCallOp("echo", { message: "hello" })))).toContain("hello");
    expect(thinking.connection.catalog.tools).toHaveLength(1);
  });

  const start = (line: string, sandbox: Partial<SandboxPolicy> = {}) =>
    makeProcesses(fastClock).start(
      shellSpec(line, { cwd: folder.path, sandbox: { ...OFFLINE, write: [folder.path], ...sandbox } }),
    );

  it("the host learns what the sandbox has refused", async () => {
    await writeFile(other.in("secret"), "x");
    const started = await start(
      `cat ${other.in("secret")}; touch /etc/planted; curl -s http://refused.example; echo end >&2`,
      {
        network: ["example.com"],
      },
    );
    await waitForStderr(started, /end/);
    const denials: unknown[] = [];
    started.sandboxDenials!.follow((denial) => denials.push(denial));
    expect(denials).toEqual(
      expect.arrayContaining([
        { type: "read", path: other.in("secret") },
        { type: "write", path: "/etc/planted" },
        { type: "host", host: "refused.example" },
      ]),
    );
  });

  it.for([
    ["exit 3", "exit code 3"],
    ["kill -SEGV $$", "SIGSEGV"],
    ["kill -KILL $$", "SIGKILL"],
  ] as const)("the exit reason of `%s` is %s", async ([line, reason]) => {
    expect(await (await start(line)).exited).toBe(reason);
  });

  it("a server that closes its output is noticed", async () => {
    const started = await start("exec >&-; sleep 60");
    await new Promise((resolve) => started.stdout.resume().once("close", resolve));
    expect(isAlive(started.pid)).toBe(true);
  });

  it.for([false, true, ["example.com"]])("SIGTERM reaches the server before SIGKILL (network: %j)", async (network) => {
    const started = await start(
      `trap 'echo saved > ${folder.in("saved")}; exit' TERM; echo ready >&2; while :; do sleep 0.05; done`,
      { network },
    );
    await waitForStderr(started, /ready/);
    await started.stop();
    expect(existsSync(folder.in("saved"))).toBe(true);
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("the server gets no variable of the host that it should not get, and a variable can't change bubblewrap", async () => {
    vi.stubEnv("HOST_SECRET", "s3cret");
    const sandbox = { ...OFFLINE, write: [folder.path] };
    const env = { LD_PRELOAD: folder.in("planted.so"), OWN: "yes" };
    const started = await makeProcesses(fastClock).start(shellSpec("env >&2", { cwd: folder.path, env, sandbox }));
    await waitForStderr(started, /OWN=yes/);
    expect(started.stderrTail).not.toContain("s3cret");
    // The loader complains in each process that has the variable. Only those inside write to this pipe.
    expect(started.stderrTail).toContain(`LD_PRELOAD=${folder.in("planted.so")}`);
  });

  it.for([false, true, ["example.com"]])(
    "`kill -9` of the host ends the server and its network (network: %j)",
    async (network) => {
      const spec = shellSpec(`trap '' TERM; echo ready; while :; do sleep 0.1; done # ${folder.path}`, {
        cwd: folder.path,
        sandbox: { ...OFFLINE, write: [folder.path], network },
      });
      const helpers = () => processesWith("slirp4netns").length;
      const before = helpers();
      const host = startSandboxHost(spec);
      expect(await host.line()).toBe("ready");
      expect(processesWith(`# ${folder.path}`).length).toBeGreaterThan(0);
      await host.kill();
      await vi.waitFor(() => expect(processesWith(folder.path)).toEqual([]), { timeout: 10_000 });
      await vi.waitFor(() => expect(helpers()).toBeLessThanOrEqual(before));
    },
  );
});
