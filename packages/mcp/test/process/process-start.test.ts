/** Starting real processes: what they get to see, and what is said of those that can't be started. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { ProcessSpec } from "@plugboard/mcp/process";
import { beforeAll, afterAll, describe, expect, it, vi } from "vitest";
import { makeProcesses, shellSpec, processSpec } from "../helpers/start-process.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plugboard-start-"));
  await mkdir(join(folder, "bin"));
  const files: [string, string, number][] = [
    ["plain.txt", "not a program", 0o644],
    ["no-interpreter", "#!/opt/no/such/python3 -u\nprint(1)\n", 0o755],
    ["dos", "#!/bin/sh\r\nexit 0\r\n", 0o755],
    ["interpreter-is-plain", `#! ${join(folder, "plain.txt")}\n`, 0o755],
    ["foreign", (await readFile("/bin/true", "latin1")).replace("/ld-", "/no-"), 0o755],
    ["bin/on-path", "#!/bin/sh\necho found\n", 0o755],
    ["bin/plain-on-path", "#!/bin/sh\necho found\n", 0o644],
  ];
  for (const [name, content, mode] of files) {
    await writeFile(join(folder, name), content, { encoding: "latin1", mode });
  }
});
afterAll(() => rm(folder, { recursive: true }));

describe("of a server that can't be started it is said that", { meta: { covers: ["F21", "R0.61"] } }, () => {
  it.each<[string, (folder: string) => Partial<ProcessSpec>, string]>([
    [
      "the command is not there",
      () => ({ command: "no-such-command" }),
      'the command "no-such-command" was not found in PATH; install it, or give its full path as `command`',
    ],
    [
      "the command is not in the PATH of its definition",
      () => ({ command: "node", env: { PATH: "/no/such/folder" } }),
      'the command "node" was not found in the PATH that its `env` sets; install it, or give its full path as `command`',
    ],
    [
      "a path of its own is not there",
      (at) => ({ command: join(at, "gone") }),
      'the command "<folder>/gone" was not found; install it or correct its `command`',
    ],
    [
      "a path that starts at its folder is not there",
      () => ({ command: "./bin/gone" }),
      'the command "./bin/gone" was not found: there is no <folder>/bin/gone; the path starts at its `cwd`',
    ],
    [
      "a path leads through a file",
      () => ({ command: "./plain.txt/server" }),
      'the command "./plain.txt/server" was not found: there is no <folder>/plain.txt/server; the path starts at its `cwd`',
    ],
    ["the command is empty", () => ({ command: "" }), "its `command` is empty"],
    ["the command is a folder", () => ({ command: "./bin" }), 'the command "./bin" is a folder'],
    [
      "the file may not be executed",
      () => ({ command: "./plain.txt" }),
      'the command "./plain.txt" may not be executed; make <folder>/plain.txt executable (chmod +x), or give the program that runs it as `command`',
    ],
    [
      "what is found in PATH may not be executed",
      (at) => ({ command: "plain-on-path", env: { PATH: `/nowhere:${at}/bin` } }),
      'the command "plain-on-path" may not be executed; make <folder>/bin/plain-on-path executable (chmod +x), or give the program that runs it as `command`',
    ],
    [
      "the interpreter of a script is not there",
      () => ({ command: "./no-interpreter" }),
      "the command <folder>/no-interpreter is a script for /opt/no/such/python3, which does not exist; install the interpreter or correct the script's first line",
    ],
    [
      "the interpreter of a script may not be executed",
      () => ({ command: "./interpreter-is-plain" }),
      "the command <folder>/interpreter-is-plain is a script for <folder>/plain.txt, which may not be executed; install the interpreter or correct the script's first line",
    ],
    [
      "a script has the line breaks of Windows",
      () => ({ command: "./dos" }),
      "the first line of <folder>/dos ends with a Windows line break, so its interpreter is not found; save the file with Unix line breaks",
    ],
    [
      "a program was built for another system",
      () => ({ command: "./foreign" }),
      "the command <folder>/foreign exists, but the loader it was built for does not; install a version for this system",
    ],
    [
      "the folder is not there",
      (at) => ({ cwd: join(at, "gone") }),
      "its working folder <folder>/gone does not exist; create it or correct its `cwd`",
    ],
    [
      "the folder is not there, nor is the command",
      (at) => ({ cwd: join(at, "gone"), command: "no-such-command" }),
      "its working folder <folder>/gone does not exist; create it or correct its `cwd`",
    ],
    [
      "the folder is a file",
      (at) => ({ cwd: join(at, "plain.txt") }),
      "its working folder <folder>/plain.txt is not a folder; correct its `cwd`",
    ],
    [
      "its arguments are too long",
      () => ({ args: ["x".repeat(4 * 1024 * 1024)] }),
      "its arguments and variables are too long together",
    ],
    [
      "an argument has a NUL in it",
      () => ({ args: ["a\0b"] }),
      "its command, one of its arguments or one of its variables has a NUL character in it",
    ],
  ])("%s", async (_, wrong, reason) => {
    const failed = makeProcesses().start(processSpec(process.execPath, [], { cwd: folder, ...wrong(folder) }));
    await expect(failed).rejects.toMatchObject({
      code: "SERVER_SPAWN_FAILED",
      details: { reason: reason.replaceAll("<folder>", folder) },
    });
  });

  it("there are too many open files, and the host goes on", async () => {
    const host = `
      import { openSync } from "node:fs";
      import { systemClock } from "@plugboard/mcp";
            import { Processes } from "@plugboard/mcp/process";
      const processes = new Processes(systemClock);
      const start = () => processes.start({ server: "s", command: "sleep", args: ["60"], cwd: "/", env: {} });
      await start();
      const open = [];
      try { for (;;) open.push(openSync("/dev/null")); } catch {}
      console.log(await start().catch((error) => error.details.reason));
      process.exit(0);`;
    const line = `ulimit -n 64; exec "$0" --input-type=module -e "$1"`;
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", line, process.execPath, host]);
    expect(stdout.trim()).toBe("too many files are open; raise the limit (ulimit -n) or run fewer servers");
  });
});

it("finds a command in the PATH that its definition gives", async () => {
  const server = await makeProcesses().start(processSpec("on-path", [], { env: { PATH: `/nowhere:${folder}/bin` } }));
  expect(await text(server.stdout)).toBe("found\n");
});

it("finds a command by a path that starts at its folder", async () => {
  const server = await makeProcesses().start(processSpec("./bin/on-path", [], { cwd: folder }));
  expect(await text(server.stdout)).toBe("found\n");
});

it("passes arguments as they are: no shell reads them", { meta: { covers: ["R3.75"] } }, async () => {
  const args = ["$(id)", "`id`", "${HOME}", "a b", "*", "; exit 3", "> out", '"', "'", "\\", ""];
  const script = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
  const server = await makeProcesses().start(processSpec(process.execPath, ["-e", script, "--", ...args]));
  expect(JSON.parse(await text(server.stdout))).toEqual(args);
});

describe("a server that prints its environment", { meta: { covers: ["A11"] } }, () => {
  const canaries = ["AWS_SECRET_ACCESS_KEY", "NODE_OPTIONS", "NODE_V8_COVERAGE", "LD_PRELOAD_CANARY", "PATH_CANARY"];

  it("shows nothing that it was not given", async () => {
    for (const name of canaries) vi.stubEnv(name, name === "NODE_OPTIONS" ? "--no-warnings" : "/canary");
    const server = await makeProcesses().start(processSpec("/usr/bin/env", [], { env: { GIVEN: "yes", TZ: "UTC" } }));
    const shown = await text(server.stdout);
    expect(shown).toContain("GIVEN=yes\n");
    expect(shown).toContain("TZ=UTC\n");
    expect(shown).toContain(`PATH=${process.env["PATH"]}\n`);
    expect(shown).not.toContain("canary");
    const ours = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ", "GIVEN"];
    const network = /proxy$|^SSL_CERT|_CA_BUNDLE$|^NODE_EXTRA_CA_CERTS$|^__CF_USER_TEXT_ENCODING$/i;
    const others = [...shown.matchAll(/^(\w+)=/gm)].map(([, name = ""]) => name);
    expect(others.filter((name) => !ours.includes(name) && !network.test(name))).toEqual([]);
  });

  it("shows the variable of ours that it was given by name, and that one only", async () => {
    for (const name of canaries) vi.stubEnv(name, "/canary");
    const server = await makeProcesses().start(
      shellSpec("/usr/bin/env", { env: { AWS_SECRET_ACCESS_KEY: "its own" } }),
    );
    const shown = await text(server.stdout);
    expect(shown).toContain("AWS_SECRET_ACCESS_KEY=its own\n");
    expect(shown).not.toContain("canary");
  });
});
