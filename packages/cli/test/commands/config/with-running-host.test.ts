/** Tests that the commands for servers, config files and profiles do the same with and without a running host. */
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startDaemon } from "@plugboard/daemon";
import { describe, expect, it, onTestFinished } from "vitest";
import { setUpProject } from "../../helpers/project.ts";
import type { Project } from "../../helpers/project.ts";
import { runPiped, runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";
import { serve, oneServer } from "../../helpers/hosting.ts";

const node = (name: string) => ({ command: process.execPath, args: [name], env: { KEY: "hunter2" } });

const CONFIGS = {
  user: { mcp: { servers: { mine: node("a.js"), both: node("b.js") }, profiles: { work: { servers: ["mine"] } } } },
  project: { mcp: { servers: { both: node("c.js"), odd: { ...node("d.js"), strict_result: true } } } },
};

/** The commands that run one after another, with and without a running host. */
const VERBS: [verb: string, ...commands: string[][]][] = [
  [
    "add",
    ["add", "new", "-e", "API_TOKEN=hunter2hunter2", process.execPath, "x.js"],
    ["add", "mine", process.execPath],
  ],
  [
    "add --scope user",
    ["add", "both", "-s", "user", process.execPath],
    ["add", "both", "-s", "user", "--replace", "npx"],
  ],
  ["add-json", ["add-json", "new", '{"command": "node", "requestTimeoutMs": 5}'], ["add-json", "new", "{"]],
  ["get", ["get", "both"], ["get", "mine", "--json"], ["get", "odd"], ["get", "non"], ["get", "mine", "-s", "project"]],
  ["get --mcp-server", ["get", "x", "--mcp-server", "x=npx y"], ["get", "cc", "--config", "more.json"]],
  ["list --scope", ["list", "--scope", "user"], ["list", "--scope", "project", "--json"]],
  ["remove", ["remove", "both", "mine"], ["remove", "both", "--json"], ["remove", "none"]],
  ["enable and disable", ["disable", "mine"], ["enable", "mine", "--json"], ["disable", "mine", "-s", "user"]],
  ["config path", ["config", "path"], ["config", "path", "--scope", "local", "--json"]],
  ["config validate", ["config", "validate"], ["config", "validate", ".plugboard/config.json", "--json"]],
  ["edit", ["edit"], ["edit", "mine", "--scope", "user", "--json"]],
  ["profile", ["profile", "list"], ["profile", "set", "a", "--server", "min"], ["profile", "remove", "work"]],
];

async function makeProject(): Promise<Project> {
  const project = await setUpProject(CONFIGS);
  await writeFile(join(project.cwd, "more.json"), JSON.stringify({ mcpServers: { cc: node("e.js") } }));
  const editor = join(project.home, "editor");
  await writeFile(editor, "#!/bin/sh\n");
  await chmod(editor, 0o755);
  return { ...project, env: { ...project.env, EDITOR: editor } };
}

/** Runs the commands. Returns their output and the files afterwards, without the path of the home folder. */
async function runAll(project: Project, commands: readonly string[][]): Promise<string> {
  const results: object[] = [];
  for (const words of commands) results.push(await runPiped(project, ...words));
  const files = [await project.read("user"), await project.read("project")];
  return JSON.stringify([results, files], undefined, 1).replaceAll(project.home, "~");
}

describe("with a running host", () => {
  it.each(VERBS)("plugboard %s has the same output and effect as without a running host", async (_, ...commands) => {
    const alone = await runAll(await makeProject(), commands);
    const project = await makeProject();
    const daemon = await startDaemon({ env: project.env, spec: { cwd: project.cwd } });
    onTestFinished(() => daemon.stop());
    expect(await runAll(project, commands)).toBe(alone);
  });

  it("plugboard add looks for the command on the PATH of the host, which will start it", async () => {
    const setup = await setUp(oneServer());
    const bin = join(setup.cwd, "bin");
    await serve({ ...setup, env: { ...setup.env, PATH: bin } });
    const added = await runPipedProcess(setup, "add", "s", "--scope", "user", "sh");
    expect([added.status, added.stderr]).toEqual([0, expect.stringContaining('"sh" was not found in PATH')]);
  });
});
