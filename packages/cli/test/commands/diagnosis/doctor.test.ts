/** Tests `plugboard doctor` as a process, against real config files, servers and hosts. */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { memoryStdio } from "@plugboard/testkit/third-party-servers";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import {
  puppetServer,
  runInTerminal,
  runPiped,
  runPipedProcess,
  setUp,
  startCommand,
} from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

interface DoctorOutput {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly severity: string;
    readonly server?: string;
    readonly message: string;
  }[];
}

async function diagnoseJson(setup: Setup, ...args: string[]): Promise<DoctorOutput & { readonly status: number }> {
  const { status, stdout } = await runPiped(setup, "doctor", "--json", ...args);
  return { status, ...((await parseOutput("doctor", stdout)) as DoctorOutput) };
}

const CANARIES = {
  env: "canary-env-7f3b9e2d41",
  header: "canary-header-81c2d0",
  argument: "canary-arg-55d1e9a0",
  url: "canary-url-9b1c7d33",
  variable: "canary-variable-0d9c1",
  stderr: "canary-env-7f3b9e2d41",
};

describe("plugboard doctor", () => {
  it("says what is wrong and how to correct it, and fails if there is an error", async () => {
    const servers = {
      typo: { command: "nodee", args: ["x.js"] },
      token: { ...puppetServer({}), env: { TOKEN: "${DOCTOR_UNSET}", KEY: { $secret: "doctor-key" } } },
      self: { url: "http://127.0.0.1:7431/mcp" },
      same: puppetServer({ copies: 3 }),
      again: puppetServer({ copies: 3 }),
      off: { ...puppetServer({}), enabled: false },
    };
    // The places of problems must not depend on the length of paths.
    const setup = await setUp(JSON.stringify({ mcpServers: { wrong: { comand: "x" }, ...servers } }, null, 2));
    await writeFile(join(setup.cwd, "nodex"), "", { mode: 0o755 });
    const { status, stdout, stderr } = await runPipedProcess(
      { ...setup, env: { ...setup.env, PATH: setup.cwd } },
      "doctor",
    );
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
    await expect(withoutVolatile(stdout, setup)).toMatchFileSnapshot("../../golden/doctor.txt");
  });

  it("reports all invalid files with their places, and still checks the rest", async () => {
    const setup = await setUp('{\n  "mcpServers": {,}\n}');
    await writeFile(join(setup.cwd, "extra.json"), "[]");
    const { ok, status, findings } = await diagnoseJson(setup, "--config", "extra.json");
    expect({ ok, status }).toEqual({ ok: false, status: 1 });
    const messages = findings.filter(({ severity }) => severity === "error").map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringContaining(`${join(setup.cwd, "config.json")}:2:18: not JSON`),
      expect.stringContaining(`${join(setup.cwd, "extra.json")}:1:1: the file must contain an object`),
    ]);
    expect(findings.map(({ check }) => check)).toContain("state");
  });

  it("starts no server, and no program of a project that is not trusted", async () => {
    const setup = await setUp();
    const marker = join(setup.cwd, "started");
    const project = join(setup.cwd, "project");
    const entry = { command: "sh", args: ["-c", `touch ${marker}`] };
    await mkdir(project);
    await writeFile(join(project, ".mcp.json"), JSON.stringify({ mcpServers: { evil: entry } }));
    await writeFile(setup.env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify({ mcpServers: { own: entry } }));
    const { findings } = await diagnoseJson({ ...setup, cwd: project });
    expect(findings).toContainEqual(expect.objectContaining({ check: "trust", server: "evil", severity: "warning" }));
    await expect(stat(marker)).rejects.toMatchObject({ code: "ENOENT" });
    await diagnoseJson({ ...setup, cwd: project }, "--connect");
    await expect(stat(marker)).resolves.toBeDefined();
  });

  it("connects real servers with --connect, and says what is wrong with those that fail", async () => {
    const crash = { command: process.execPath, args: ["-e", "console.error('no disk'); process.exit(3)"] };
    const setup = await setUp({ mcpServers: { memory: memoryStdio(), crash } });
    const terminal = runInTerminal(setup, "doctor", "--connect");
    await terminal.waitFor(/✗.*crash.*exited \(exit code 3\)/);
    await terminal.waitFor("no disk");
    expect(await terminal.exited).toMatchObject({ exitCode: 1 });
    expect(terminal.output()).not.toMatch(/memory.*: /);
    const later = await diagnoseJson(setup);
    expect(later.findings).toContainEqual(
      expect.objectContaining({
        check: "start",
        server: "crash",
        message: "It failed at its last start (SERVER_CRASHED).",
      }),
    );
  });

  it("says that a host is running", async () => {
    const setup = await setUp();
    const host = startCommand(setup, "serve", "--port", "0");
    await host.stdout.waitFor("Plugboard is running", 15_000);
    const { findings } = await diagnoseJson(setup);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "host", severity: "ok", message: expect.stringContaining("is running.") }),
    );
  });

  it("shows control characters of config files as text", { meta: { covers: ["A7"] } }, async () => {
    const setup = await setUp({ mcpServers: { evil: { command: "\u001b[2Jx\u202e", args: [] } } });
    const { stdout } = await runPiped(setup, "doctor");
    expect(stdout).toContain("<U+001B>[2Jx");
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });
});

it("plugboard doctor --connect does not start a server that is Plugboard itself", async () => {
  const marker = 'require("fs").writeFileSync("started", "")';
  const setup = await setUp({
    mcpServers: { self: { command: process.execPath, args: ["-e", marker, "plugboard", "stdio"] } },
  });
  const { findings } = await diagnoseJson(setup, "--connect");
  expect(findings).toContainEqual(expect.objectContaining({ check: "self", server: "self" }));
  expect(await readdir(setup.cwd)).not.toContain("started");
});

describe("plugboard doctor --bundle", { meta: { covers: ["A12"] } }, () => {
  it("writes a report with masked definitions, states, logs and activity, and no secret", async () => {
    const { cwd, env } = await setUp({
      mcpServers: {
        leaky: {
          ...puppetServer({ stderr: `token ${CANARIES.stderr}\n`, logs: [{ level: "info", data: CANARIES.env }] }),
          env: { API_TOKEN: CANARIES.env, PLAIN: CANARIES.argument, EXPANDED: "${DOCTOR_CANARY}" },
        },
        other: {
          command: process.execPath,
          args: ["-e", `console.error("${CANARIES.header}"); process.exit(1)`, `--key=${CANARIES.argument}`],
        },
        remote: {
          url: `http://127.0.0.1:9/mcp?key=${CANARIES.url}`,
          headers: { Authorization: `Bearer ${CANARIES.header}` },
        },
      },
    });
    const setup = { cwd, env: { ...env, DOCTOR_CANARY: CANARIES.variable } };
    await runPiped(setup, "call", "leaky:go", `--args={"x":"${CANARIES.argument}"}`);
    await runPiped(setup, "status", "--connect");
    const { stdout, stderr } = await runPiped(setup, "doctor", "--connect", "--bundle", "report.json");
    const text = await readFile(join(cwd, "report.json"), "utf8");
    expect((await stat(join(cwd, "report.json"))).mode & 0o777).toBe(0o600);
    const report = JSON.parse(text) as { servers: object[]; logs: object; activity: object[]; findings: object[] };
    expect(report).toMatchObject({
      versions: { plugboard: expect.any(String), node: process.versions.node, platform: process.platform },
      servers: [{ id: "leaky", config: { env: { API_TOKEN: "***" } } }, { id: "other" }, { id: "remote" }],
      logs: { leaky: expect.arrayContaining([expect.objectContaining({ text: "token ***" })]) },
    });
    expect(report.activity).toContainEqual(expect.objectContaining({ type: "call", server: "leaky", tool: "go" }));
    expect(stderr).toMatch(
      /Wrote .*report\.json: versions, \d+ findings, 3 definitions and states without values, \d+ log lines, \d+ activity entries\./,
    );
    for (const canary of Object.values(CANARIES)) expect(`${text}${stdout}${stderr}`).not.toContain(canary);
    expect(text).not.toContain(cwd);
  });

  it("escapes the control characters of server logs", { meta: { covers: ["A7"] } }, async () => {
    const program = "console.error(String.fromCharCode(120, 0x85, 50, 0x202e, 121))";
    const setup = await setUp({ mcpServers: { a: { command: process.execPath, args: ["-e", program] } } });
    await runPiped(setup, "doctor", "--connect", "--bundle", "report.json");
    const text = await readFile(join(setup.cwd, "report.json"), "utf8");
    expect(text).toContain("x\\u00852\\u202ey");
    expect(text).not.toMatch(/[\u0085\u202e]/);
  });

  it("does not overwrite a file", async () => {
    const setup = await setUp();
    await writeFile(join(setup.cwd, "report.json"), "mine");
    const { status, stdout, stderr } = await runPiped(setup, "doctor", "--bundle", "report.json");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("report.json exists already. Choose another file.");
    expect(await readFile(join(setup.cwd, "report.json"), "utf8")).toBe("mine");
  });
});

function withoutVolatile(text: string, { cwd }: Setup): string {
  return text
    .replaceAll(cwd, "<folder>")
    .replaceAll(/Plugboard [\d.]+ runs on Node [\d.]+/g, "Plugboard <version> runs on Node <version>")
    .replace(/^.*[Pp]ort 7431\b.*\n(?: {2}→.*\n)?/m, "");
}
