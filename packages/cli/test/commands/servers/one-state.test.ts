/** Tests that status, tools, serve and test agree about the state of a server and the number of its tools. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runPiped, runPipedWithInput, setUp, startCommand } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

interface Status {
  readonly id: string;
  readonly state: string;
  readonly tools: number;
  readonly hiddenTools?: number;
  readonly pid?: number;
  readonly lastError?: { readonly code: string };
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-other-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function serve(setup: Setup) {
  const server = startCommand(setup, "serve", "--port", "0");
  await server.stdout.waitFor("Stop with Ctrl-C", 15_000);
  return server;
}

async function statusOf(setup: Setup, id: string): Promise<Status> {
  const { stdout } = await runPiped(setup, "status", "--json");
  const all = (await parseOutput("status", stdout)) as Status[];
  return all.find((server) => server.id === id)!;
}

const withSecret = () => ({ ...scriptedLegacy(), env: { TOKEN: { $secret: "github" } } });

describe("plugboard status of a server with a secret", () => {
  it("shows that the server is ready in the running host, with its tools", async () => {
    const setup = await setUp({ mcpServers: { needy: withSecret() } });
    await runPipedWithInput(setup, "value\n", "secret", "set", "github");
    await serve(setup);
    await expect.poll(() => statusOf(setup, "needy"), { timeout: 15_000 }).toMatchObject({ state: "ready" });
    const { tools, pid } = await statusOf(setup, "needy");
    expect(tools).toBeGreaterThan(0);
    expect(pid).toBeGreaterThan(0);
    const { stdout } = await runPiped(setup, "status", "needy", "--json");
    expect(await parseOutput("status", stdout)).toMatchObject({ state: "ready", tools, pid });
  });

  it("shows why the running host can't start the server", async () => {
    const setup = await setUp({ mcpServers: { needy: withSecret() } });
    await serve(setup);
    const error = { state: "error", lastError: { code: "SERVER_INVALID" } };
    await expect.poll(() => statusOf(setup, "needy"), { timeout: 15_000 }).toMatchObject(error);
    const { stdout } = await runPiped(setup, "status");
    expect(stdout).toMatch(/^needy .* error /m);
    expect(stdout).toContain("plugboard secret set github");
  });
});

describe("the number of tools", () => {
  it("is the same in status, tools, serve and test, even if some tools can't be used", async () => {
    const files = { ...scriptedLegacy(), tools: { exclude: ["crash"] } };
    const setup = await setUp({ mcpServers: { files }, permissions: { deny: ["files:echo"] } });
    const host = await serve(setup);
    await expect.poll(() => statusOf(setup, "files"), { timeout: 15_000 }).toMatchObject({ state: "ready" });
    const { tools, hiddenTools } = await statusOf(setup, "files");
    const listed = JSON.parse((await runPiped(setup, "tools", "--json")).stdout) as unknown[];
    expect({ tools, hiddenTools }).toEqual({ tools: listed.length, hiddenTools: 2 });
    const { servers } = (await parseOutput("test", (await runPiped(setup, "test", "--json")).stdout)) as {
      readonly servers: readonly { readonly tools: readonly string[] }[];
    };
    expect(servers[0]!.tools).toHaveLength(tools);
    await host.stdout.waitFor(new RegExp(`files\\b.*\\b${tools} tools`), 15_000);
    const detail = JSON.parse((await runPiped(setup, "status", "files", "--json")).stdout) as {
      readonly offered: readonly unknown[];
      readonly notOffered: readonly { readonly name: string }[];
    };
    expect(detail.offered).toHaveLength(tools);
    expect(detail.notOffered.map(({ name }) => name).toSorted()).toEqual(["crash", "echo"]);
  });
});

describe("a config that breaks while a host runs", () => {
  it("does not hide the state of the host from status, which also shows the error", async () => {
    const setup = await setUp({ mcpServers: { files: scriptedLegacy() } });
    await serve(setup);
    await expect.poll(() => statusOf(setup, "files"), { timeout: 15_000 }).toMatchObject({ state: "ready" });
    await writeFile(setup.env["PLUGBOARD_CONFIG_PATH"]!, "{ broken");
    const { status, stdout, stderr } = await runPiped(setup, "status");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/^error: .*config\.json:1/) as string,
    });
    expect(stderr).toContain("the last valid config stays in effect");
    expect(stdout).toMatch(/^files .* ready /m);
  });

  it("is an error in a folder that the host does not serve, and no server of the served folder is shown there", async () => {
    const setup = await setUp({ mcpServers: { files: scriptedLegacy() } });
    await serve(setup);
    await expect.poll(() => statusOf(setup, "files"), { timeout: 15_000 }).toMatchObject({ state: "ready" });
    await writeFile(setup.env["PLUGBOARD_CONFIG_PATH"]!, "{ broken");
    const { status, stdout, stderr } = await runPiped({ ...setup, cwd: await makeFolder() }, "status");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^CONFIG_INVALID: .*config\.json:1/m);
  });

  it("leaves the questions of the host in inbox, and the error beside them", async () => {
    const setup = await setUp({ mcpServers: { files: scriptedLegacy() } });
    await serve(setup);
    await expect.poll(() => statusOf(setup, "files"), { timeout: 15_000 }).toMatchObject({ state: "ready" });
    await writeFile(setup.env["PLUGBOARD_CONFIG_PATH"]!, "{ broken");
    const { status, stdout, stderr } = await runPiped(setup, "inbox", "--json");
    expect(status).toBe(0);
    expect(stderr).toContain("the last valid config stays in effect");
    expect(await parseOutput("inbox", stdout)).toEqual({ running: true, questions: [] });
  });
});
