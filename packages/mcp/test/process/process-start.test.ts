/** Tests the start of real processes: their environment, and the reasons for a failed start. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { findSpawnProblem } from "@plugboard/mcp/process";
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

/** Failures that can be explained from the files, without starting the program. */
const FILE_FAILURES: readonly [string, (folder: string) => Partial<ProcessSpec>, string][] = [
  [
    "the command does not exist",
    () => ({ command: "no-such-command" }),
    'the command "no-such-command" was not found in PATH; install it, or give its full path as `command`',
  ],
  [
    "the command is not in the PATH of the definition",
    () => ({ command: "node", env: { PATH: "/no/such/folder" } }),
    'the command "node" was not found in the PATH that its `env` sets; install it, or give its full path as `command`',
  ],
  [
    "the command contains its arguments",
    () => ({ command: "npx -y server" }),
    'the command "npx -y server" was not found; it contains spaces, and arguments belong in `args`',
  ],
  [
    "an absolute path does not exist",
    (folder) => ({ command: join(folder, "gone") }),
    'the command "<folder>/gone" was not found; install it or correct its `command`',
  ],
  [
    "a relative path does not exist",
    () => ({ command: "./bin/gone" }),
    'the command "./bin/gone" was not found: there is no <folder>/bin/gone; the path starts at its `cwd`',
  ],
  [
    "a path has a file in place of a folder",
    () => ({ command: "./plain.txt/server" }),
    'the command "./plain.txt/server" was not found: there is no <folder>/plain.txt/server; the path starts at its `cwd`',
  ],
  ["the command is empty", () => ({ command: "" }), "its `command` is empty"],
  ["the command is a folder", () => ({ command: "./bin" }), 'the command "./bin" is a folder'],
  [
    "the file is not executable",
    () => ({ command: "./plain.txt" }),
    'the command "./plain.txt" may not be executed; make <folder>/plain.txt executable (chmod +x), or give the program that runs it as `command`',
  ],
  [
    "the file found in PATH is not executable",
    (folder) => ({ command: "plain-on-path", env: { PATH: `/nowhere:${folder}/bin` } }),
    'the command "plain-on-path" may not be executed; make <folder>/bin/plain-on-path executable (chmod +x), or give the program that runs it as `command`',
  ],
  [
    "the interpreter of a script does not exist",
    () => ({ command: "./no-interpreter" }),
    "the command <folder>/no-interpreter is a script for /opt/no/such/python3, which does not exist; install the interpreter or correct the script's first line",
  ],
  [
    "the interpreter of a script is not executable",
    () => ({ command: "./interpreter-is-plain" }),
    "the command <folder>/interpreter-is-plain is a script for <folder>/plain.txt, which may not be executed; install the interpreter or correct the script's first line",
  ],
  [
    "a script has Windows line breaks",
    () => ({ command: "./dos" }),
    "the first line of <folder>/dos ends with a Windows line break, so its interpreter is not found; save the file with Unix line breaks",
  ],
  [
    "the working folder does not exist",
    (folder) => ({ cwd: join(folder, "gone") }),
    "its working folder <folder>/gone does not exist; create it or correct its `cwd`",
  ],
  [
    "neither the working folder nor the command exists",
    (folder) => ({ cwd: join(folder, "gone"), command: "no-such-command" }),
    "its working folder <folder>/gone does not exist; create it or correct its `cwd`",
  ],
  [
    "the working folder is a file",
    (folder) => ({ cwd: join(folder, "plain.txt") }),
    "its working folder <folder>/plain.txt is not a folder; correct its `cwd`",
  ],
];

describe("Processes.start", { meta: { covers: ["F21", "R0.61"] } }, () => {
  it.each<[string, (folder: string) => Partial<ProcessSpec>, string]>([
    ...FILE_FAILURES,
    [
      "a program was built for another system",
      () => ({ command: "./foreign" }),
      "the command <folder>/foreign exists, but the loader it was built for does not; install a version for this system",
    ],
    [
      "the arguments are too long",
      () => ({ args: ["x".repeat(4 * 1024 * 1024)] }),
      "its arguments and variables are too long together",
    ],
    [
      "an argument contains a NUL character",
      () => ({ args: ["a\0b"] }),
      "its command, one of its arguments or one of its variables has a NUL character in it",
    ],
  ])("reports why the start fails if %s", async (_, wrong, reason) => {
    const failed = makeProcesses().start(processSpec(process.execPath, [], { cwd: folder, ...wrong(folder) }));
    await expect(failed).rejects.toMatchObject({
      code: "SERVER_SPAWN_FAILED",
      details: { reason: reason.replaceAll("<folder>", folder) },
    });
  });

  it("reports that too many files are open, and the host keeps running", async () => {
    const host = `
      import { openSync } from "node:fs";
      import { systemClock } from "@plugboard/contracts";
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

it("Processes.start finds a command in the PATH of the definition", async () => {
  const server = await makeProcesses().start(processSpec("on-path", [], { env: { PATH: `/nowhere:${folder}/bin` } }));
  expect(await text(server.stdout)).toBe("found\n");
});

it("Processes.start resolves a relative command against the working folder", async () => {
  const server = await makeProcesses().start(processSpec("./bin/on-path", [], { cwd: folder }));
  expect(await text(server.stdout)).toBe("found\n");
});

it("Processes.start passes arguments unchanged, without a shell", { meta: { covers: ["R3.75"] } }, async () => {
  const args = ["$(id)", "`id`", "${HOME}", "a b", "*", "; exit 3", "> out", '"', "'", "\\", ""];
  const script = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
  const server = await makeProcesses().start(processSpec(process.execPath, ["-e", script, "--", ...args]));
  expect(JSON.parse(await text(server.stdout))).toEqual(args);
});

describe("The environment of a started server", { meta: { covers: ["A11"] } }, () => {
  const canaries = ["AWS_SECRET_ACCESS_KEY", "NODE_OPTIONS", "NODE_V8_COVERAGE", "LD_PRELOAD_CANARY", "PATH_CANARY"];

  it("contains only the allowed variables and those of its definition", async () => {
    for (const name of canaries) vi.stubEnv(name, name === "NODE_OPTIONS" ? "--no-warnings" : "/canary");
    const server = await makeProcesses().start(processSpec("/usr/bin/env", [], { env: { GIVEN: "yes", TZ: "UTC" } }));
    const shown = await text(server.stdout);
    expect(shown).toContain("GIVEN=yes\n");
    expect(shown).toContain("TZ=UTC\n");
    expect(shown).toContain(`PATH=${process.env["PATH"]}\n`);
    expect(shown).not.toContain("canary");
    const ours = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ"];
    const added = ["GIVEN", "PLUGBOARD_PROCESS"];
    const network = /proxy$|^SSL_CERT|_CA_BUNDLE$|^NODE_EXTRA_CA_CERTS$|^__CF_USER_TEXT_ENCODING$/i;
    const others = [...shown.matchAll(/^(\w+)=/gm)].map(([, name = ""]) => name);
    expect(others.filter((name) => ![...ours, ...added].includes(name) && !network.test(name))).toEqual([]);
  });

  it("contains the definition's value of a variable that the host has too", async () => {
    for (const name of canaries) vi.stubEnv(name, "/canary");
    const server = await makeProcesses().start(
      shellSpec("/usr/bin/env", { env: { AWS_SECRET_ACCESS_KEY: "its own" } }),
    );
    const shown = await text(server.stdout);
    expect(shown).toContain("AWS_SECRET_ACCESS_KEY=its own\n");
    expect(shown).not.toContain("canary");
  });
});

describe("findSpawnProblem", () => {
  it.each(FILE_FAILURES)("finds out, without starting the program, that %s", async (_, wrong, reason) => {
    const problem = await findSpawnProblem({ command: process.execPath, cwd: folder, env: {}, ...wrong(folder) });
    expect(problem).toBe(reason.replaceAll("<folder>", folder));
  });

  it("finds nothing wrong with a program or script that can be started", async () => {
    for (const command of [process.execPath, "node", "./bin/on-path"]) {
      expect(await findSpawnProblem({ command, cwd: folder, env: {} })).toBeUndefined();
    }
  });
});
