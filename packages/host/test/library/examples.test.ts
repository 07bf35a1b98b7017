/** Tests that the programs in examples/ run unchanged, in a user's folder, with the servers they name. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { memoryStdio } from "@plugboard/testkit/third-party-servers";
import { startAuthorizationServer } from "@plugboard/testkit/authorization-server";
import { startProtectedServer } from "@plugboard/testkit/protected-server";
import { startModelServer } from "@plugboard/testkit/model-server";
import { startScriptedModel, toolResults } from "@plugboard/testkit/scripted-model";
import type { ScriptedModel, ScriptedTurn } from "@plugboard/testkit/scripted-model";
import { freePort } from "@plugboard/testkit/free-port";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeNpx } from "../helpers/fake-npx.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

it.each(readdirSync(join(root, "examples")).filter((name) => name.endsWith(".mjs")))(
  "examples/%s is run by a test in this file",
  (name) => expect(readFileSync(new URL(import.meta.url), "utf8")).toContain(`run("${name}"`),
);

let folder: string;
let path: string;
let model: ScriptedModel | undefined;
let children: ChildProcess[] = [];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "plugboard-example-")));
  installServers(folder);
  path = fakeNpx(folder);
  writeFileSync(join(folder, "notes.md"), "Buy milk.\n");
});

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
  await model?.close();
  model = undefined;
  rmSync(folder, { recursive: true, force: true });
});

describe("two-servers.mjs", () => {
  it("embeds the host and calls two real servers", async () => {
    // Uses the real npx.
    const { code, stdout, stderr } = await run("two-servers.mjs", [], { PATH: process.env["PATH"] ?? "" }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/ready: \[ '(files', 'memory|memory', 'files)' \], errors: {}, tools: \d\d/);
    expect(stdout).toContain("[FILE] notes.md");
    expect(stdout).toContain("structuredContent: { entities: [], relations: [] }");
  });

  it("has no more than 15 lines of code", () => {
    expect(linesOfCode("two-servers.mjs")).toBeLessThanOrEqual(15);
  });
});

describe("log-in.mjs", () => {
  it(
    "prints the login URL, continues after the login, and needs no login the next time",
    { timeout: 60_000 },
    async () => {
      const authServer = await startAuthorizationServer();
      const server = await startProtectedServer(authServer);
      try {
        const first = run("log-in.mjs", [server.url]);
        const line = await first.printed(/Log in at (\S+)/);
        await completeLogin(line[1]!, { callback: "visit" });
        const { code, stdout, stderr } = await first.ended;
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        expect(stdout).toMatch(/state: 'ready'/);
        expect(stdout).toContain("whoami");
        expect((await run("log-in.mjs", [server.url]).ended).stdout).not.toContain("Log in at");
      } finally {
        await Promise.all([server.close(), authServer.close()]);
      }
    },
  );

  it("says that it needs the URL of a server", async () => {
    const { code, stdout, stderr } = await run("log-in.mjs").ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Pass the URL of a server: node examples\/log-in\.mjs https:/);
  });

  it("says why the server can't be used", async () => {
    const { code, stderr } = await run("log-in.mjs", [`http://127.0.0.1:${await freePort()}/mcp`]).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^"it" can't be reached: /);
  });
});

describe("ai-sdk.mjs", () => {
  it("gives a model the tools of real servers and their results", async () => {
    const { stdout, model } = await chat(
      { calls: [{ tool: "mcp__files__read_text_file", arguments: { path: "notes.md" } }] },
      (request) => `It says: ${toolResults(request).join()}`,
    );
    expect(stdout).toBe("It says: Buy milk.\n\n");
    const [first, second] = model.requests;
    expect(first!.tools).toContainEqual({
      type: "function",
      function: {
        name: "mcp__files__read_text_file",
        description: expect.stringContaining('(tool "read_text_file" of MCP server "files")') as string,
        parameters: expect.objectContaining({ type: "object", required: ["path"] }) as object,
      },
    });
    expect(second!.messages.at(-1)).toMatchObject({ role: "tool", content: "Buy milk.\n" });
  });

  it("tells the model why a call is denied, and continues", async () => {
    const { stdout, model } = await chat(
      { calls: [{ tool: "mcp__files__write_file", arguments: { path: "notes.md", content: "" } }] },
      "I may not.",
    );
    expect(stdout).toBe("I may not.\n");
    expect(toolResults(model.requests[1]!)).toEqual([expect.stringContaining("permissions.allow")]);
    expect(readFileSync(join(folder, "notes.md"), "utf8")).toBe("Buy milk.\n");
  });

  it("lets the model read the rest of a long result", async () => {
    writeFileSync(join(folder, "long.md"), `${"All work and no play. ".repeat(6_000)}The end.\n`);
    const { stdout } = await chat(
      { calls: [{ tool: "mcp__files__read_text_file", arguments: { path: "long.md" } }] },
      (request) => {
        const [, readOutputArguments] = /read on with read_output (\{.*?\})/.exec(toolResults(request).join())!;
        const { id } = JSON.parse(readOutputArguments!) as { id: string };
        return { calls: [{ tool: "read_output", arguments: { id, offset: 131_900 } }] };
      },
      (request) => toolResults(request).join().slice(-80),
    );
    expect(stdout).toContain("The end.");
  });

  async function chat(...turns: ScriptedTurn[]): Promise<{ stdout: string; model: ScriptedModel }> {
    model = await startScriptedModel(...turns);
    const { code, stdout, stderr } = await run("ai-sdk.mjs", [], { MODEL_URL: model.url, MODEL: "scripted" }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(model.requests).toHaveLength(turns.length);
    return { stdout, model };
  }
});

describe("agent-loop.mjs", () => {
  it("lets a model call two functions of the program, without a host", async () => {
    const server = await startModelServer(
      { parts: [{ call: "find_city", args: { person: "Ann" } }] },
      { parts: [{ call: "get_weather", args: { city: "Rome" } }] },
      ({ results }) => ({ parts: [{ text: `Good news. ${results.at(-1)?.text}` }] }),
    );
    try {
      const env = { PLUGBOARD_MODEL: "compatible/scripted", PLUGBOARD_MODEL_URL: server.url };
      const { code, stdout, stderr } = await run("agent-loop.mjs", [], env).ended;
      expect({ code, stdout }).toEqual({ code: 0, stdout: "Good news. It is sunny in Rome." });
      expect(stderr).toBe("[find_city: Ann lives in Rome.]\n[get_weather: It is sunny in Rome.]\n");
      expect(server.requests[0]?.toolNames).toEqual(["find_city", "get_weather"]);
    } finally {
      await server.close();
    }
  });

  it("says which variables to set if there is no model", async () => {
    const { code, stderr } = await run("agent-loop.mjs").ended;
    expect(code).toBe(1);
    expect(stderr).toContain("`PLUGBOARD_MODEL` in the environment to `provider/model`");
  });

  it("has no more than 20 lines of code", () => {
    expect(linesOfCode("agent-loop.mjs")).toBeLessThanOrEqual(20);
  });
});

describe("approve-on-terminal.mjs", () => {
  beforeEach(() => {
    writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { memory: memoryStdio() } }));
  });

  it("asks for trust in a project's server, then for permission, then runs the tool", async () => {
    const example = run("approve-on-terminal.mjs", ["memory", "read_graph"]);
    await example.says('the server "memory", as above. Trust it? [y/n]');
    example.type("y");
    await example.says("Run memory:read_graph {}? [y/n/always]");
    example.type("always");
    const { code, stdout } = await example.ended;
    expect(stdout).toContain("structuredContent: { entities: [], relations: [] }");
    expect(code).toBe(0);

    const again = await run("approve-on-terminal.mjs", ["memory", "read_graph"]).ended;
    expect(again).toMatchObject({ code: 0, stderr: "" });
  });

  it("does not start a project's server that the user does not trust", async () => {
    const example = run("approve-on-terminal.mjs", ["memory", "read_graph"]);
    await example.says("Trust it? [y/n]");
    example.type("n");
    const { code, stdout, stderr } = await example.ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("you have not approved it");
  });
});

/** Runs an example in the test folder, without this machine's config and without a package registry. */
function run(example: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(root, "examples", example), ...args], {
    cwd: folder,
    env: {
      PATH: path,
      HOME: join(folder, "home"),
      XDG_STATE_HOME: join(folder, "state"),
      XDG_CONFIG_HOME: join(folder, "config"),
      ...env,
    },
  });
  children.push(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const stdout = text(child.stdout);
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  return {
    async printed(words: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = words.exec(printed);
        if (found) return found;
        if (child.stdout.readableEnded) throw new Error(`it ended without ${words}:\n${printed}${stderr}`);
        await Promise.race([once(child.stdout, "data"), once(child.stdout, "end")]);
      }
    },
    type: (line: string) => void child.stdin.write(`${line}\n`),
    async says(words: string): Promise<void> {
      while (!stderr.includes(words)) {
        if (child.stderr.readableEnded) throw new Error(`it ended without "${words}":\n${stderr}`);
        await Promise.race([once(child.stderr, "data"), once(child.stderr, "end")]);
      }
    },
    ended: once(child, "close").then(async ([code]) => ({ code: code as number, stdout: await stdout, stderr })),
  };
}

/** Links the servers like `npm install`, so that `npx` runs them without a prompt. */
function installServers(project: string): void {
  const installed = join(root, "node_modules");
  mkdirSync(join(project, "home"));
  mkdirSync(join(project, "node_modules", ".bin"), { recursive: true });
  mkdirSync(join(project, "node_modules", "@modelcontextprotocol"));
  for (const name of ["filesystem", "memory"]) {
    const packageName = join("@modelcontextprotocol", `server-${name}`);
    symlinkSync(join(installed, packageName), join(project, "node_modules", packageName), "junction");
    symlinkSync(
      join(installed, packageName, "dist", "index.js"),
      join(project, "node_modules", ".bin", `mcp-server-${name}`),
    );
  }
  writeFileSync(join(project, "package.json"), "{}");
  writeFileSync(join(project, ".npmrc"), "offline=true\n");
}

function linesOfCode(example: string): number {
  const source = readFileSync(join(root, "examples", example), "utf8").replace(/\/\*.*?\*\//gs, "");
  return source.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;
}
