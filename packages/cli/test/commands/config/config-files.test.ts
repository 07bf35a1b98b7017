/** Tests `plugboard config path`, `schema` and `validate`. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project.ts";
import { runPiped, runPipedProcess } from "../../helpers/run-plugboard.ts";

describe("plugboard config path", () => {
  it("shows the files of all layers in the order of their priority, and whether they exist", async () => {
    const project = await setUpProject({ shared: {} });
    await project.write("local", "{");
    const { stdout } = await runPipedProcess(project, "config", "path");
    await expect(stdout.replaceAll(project.home, "<home>")).toMatchFileSnapshot("../../golden/config-path.txt");
    const json = await runPipedProcess(project, "config", "path", "--config", "more.json", "--json");
    expect(await parseOutput("config-path", json.stdout)).toEqual([
      { layer: "managed", file: expect.any(String) as string, exists: false },
      { layer: "user", file: project.files.user, exists: true },
      { layer: "project", file: project.files.shared, exists: true },
      { layer: "project", file: project.files.project, exists: false },
      {
        layer: "local",
        file: project.files.local,
        exists: true,
        invalid: expect.stringContaining("not JSON") as string,
      },
      { layer: "invocation", file: `${project.cwd}/more.json`, exists: false },
    ]);
  });

  it.each(["user", "project", "local"] as const)("prints only the %s file with --scope", async (scope) => {
    const project = await setUpProject();
    expect((await runPiped(project, "config", "path", "--scope", scope)).stdout).toBe(`${project.files[scope]}\n`);
  });
});

it("plugboard config schema prints the schema of docs/config.schema.json", async () => {
  const { status, stdout } = await runPipedProcess(await setUpProject(), "config", "schema");
  expect(status).toBe(0);
  const committed = await readFile(new URL("../../../../../docs/config.schema.json", import.meta.url), "utf8");
  expect(await parseOutput("config-schema", stdout)).toEqual(JSON.parse(committed));
});

describe("plugboard config validate", () => {
  it("shows all problems of all files with their positions, and fails", { meta: { covers: ["R3.28"] } }, async () => {
    const project = await setUpProject({ user: { mcpServers: { a: { command: "npx -y foo" }, b: {} } } });
    await project.write("project", '{\n  "permissions": { "deny": ["x", "fs:*", ":y"] },\n  "alow": []\n}\n');
    await project.write(
      "local",
      '{\n  "mcp": {\n    "servers": { "c": { "command": 7, "args": [8], "url": 9 } }\n  }\n}',
    );
    const { status, stdout, stderr } = await runPipedProcess(project, "config", "validate");
    expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
    await expect(stdout.replaceAll(project.home, "<home>")).toMatchFileSnapshot("../../golden/config-validate.txt");
  });

  it("succeeds and names the files if there are no problems", async () => {
    const project = await setUpProject({ project: { mcpServers: { a: { command: "npx" } } } });
    const { status, stdout } = await runPipedProcess(project, "config", "validate");
    expect(status).toBe(0);
    expect(stdout).toBe(`No problems in 2 files:\n  ${project.files.user}\n  ${project.files.project}\n`);
  });

  it("checks one file by the rules of its layer", async () => {
    const project = await setUpProject({ shared: { mcpServers: {}, naming: "{tool}" } });
    await project.write("local", "broken");
    const { status, stdout } = await runPiped(project, "config", "validate", ".mcp.json", "--json");
    expect(status).toBe(0);
    expect(await parseOutput("config-validate", stdout)).toMatchObject({
      files: [project.files.shared],
      problems: [
        { severity: "warning", line: 3, column: 3, message: expect.stringContaining('"naming" is ignored') as string },
      ],
    });
    const other = await runPiped(project, "config", "validate", ".plugboard/config.local.json");
    expect(other.status).toBe(2);
    expect(other.stdout).toContain("config.local.json:1:1: not JSON");
  });

  it("reports every syntax error that it can locate", async () => {
    const project = await setUpProject();
    await project.write("project", '{\n  "version": 1\n  "mcp": {}\n  "naming": "x"\n}');
    const { stdout } = await runPiped(project, "config", "validate", "--json");
    const { problems } = (await parseOutput("config-validate", stdout)) as { problems: { line: number }[] };
    expect(problems.map(({ line }) => line)).toEqual([3, 4]);
  });

  it("fails for a file that does not exist, and says what to do", async () => {
    const { status, stderr } = await runPiped(await setUpProject(), "config", "validate", "none.json");
    expect(status).toBe(2);
    expect(stderr).toContain("none.json: the file does not exist. Create the file, or correct its path.");
  });
});

describe("plugboard with an invalid config", () => {
  it("reports all problems of the file", { meta: { covers: ["R3.28"] } }, async () => {
    const project = await setUpProject();
    await project.write("user", '{\n"permissions": { "deny": ["x"] },\n"allow": []\n}');
    const { status, stderr } = await runPiped(project, "list");
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^CONFIG_INVALID: .*config\.json:2:27: "x" is not a rule.*\n.*config\.json:3:1: "allow" belongs inside/,
    );
  });

  it("says what to do about a missing file that --config names", async () => {
    const { stderr } = await runPiped(await setUpProject(), "list", "--config", "nofile.json");
    expect(stderr).toContain("nofile.json: the file does not exist. Create the file, or correct its path.");
  });

  it("says to set a variable that is not set", async () => {
    const project = await setUpProject({ user: { mcpServers: { s: { command: "${NOT_SET}" } } } });
    const { stderr } = await runPiped(project, "call", "s:x");
    expect(stderr).toContain("Set NOT_SET, or give it a default: ${NOT_SET:-default}.");
    expect(stderr).not.toContain("Correct this entry");
  });

  it("says that arguments belong in args", async () => {
    const project = await setUpProject({ user: { mcpServers: { s: { command: "npx -y foo" } } } });
    const { stderr } = await runPiped(project, "call", "s:x");
    expect(stderr).toContain(
      '"command" contains spaces; arguments belong in "args": "command": "npx", "args": ["-y","foo"]',
    );
    expect(stderr).toContain("SERVER_SPAWN_FAILED");
    expect(stderr).toContain("it contains spaces, and arguments belong in `args`");
  });
});
