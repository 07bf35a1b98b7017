/** Tests reading each config file on its own. */
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists, filesWithEntry, inspectConfig, problemsOf } from "#inspect/inspect-config.js";
import { locateServer } from "#inspect/locate-server.js";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../store/test/helpers/run-child.ts";

let home: string;
let cwd: string;
const env = { PLUGBOARD_CONFIG_PATH: "user.json" };

beforeEach(async () => {
  home = await realpath(await temporaryFolder());
  cwd = join(home, "project");
  await mkdir(join(cwd, ".plugboard"), { recursive: true });
});

describe("inspectConfig", () => {
  it("reports an invalid file with all its problems, and reads the others", async () => {
    const text = '{\n"permissions": { "deny": [1] },\n"mcp": { "servers": { "s": {} }, "naming": 3 }\n}';
    await writeFile(join(home, "user.json"), text);
    await writeFile(join(cwd, ".mcp.json"), '{ "mcpServers": { "s": { "command": "x" } } }');
    const files = await inspectConfig({ cwd, env, home });
    expect(files.map((file) => [file.source, exists(file), file.error !== undefined])).toEqual([
      ["managed", false, false],
      ["user", true, true],
      ["project", true, false],
      ["project", false, false],
      ["local", false, false],
    ]);
    expect(problemsOf(files[1]!)).toMatchObject([
      { severity: "error", line: 2, message: expect.stringContaining('"permissions" must be inside "mcp"') as string },
      { severity: "error", line: 3, message: expect.stringContaining('"s": it has neither') as string },
      { severity: "error", line: 3, message: expect.stringContaining('"naming" is 3') as string },
    ]);
    expect(filesWithEntry(files, "s").map(({ file }) => file)).toEqual([join(cwd, ".mcp.json")]);
  });

  it("finds entries that only enable or disable a server, from highest to lowest priority", async () => {
    await writeFile(join(home, "user.json"), '{ "mcpServers": { "s": { "command": "x" } } }');
    await writeFile(join(cwd, ".plugboard/config.local.json"), '{ "mcpServers": { "s": { "enabled": false } } }');
    const files = await inspectConfig({ cwd, env, home });
    expect(filesWithEntry(files, "s").map(({ source }) => source)).toEqual(["local", "user"]);
    expect(filesWithEntry(files, "s", "user").map(({ source }) => source)).toEqual(["user"]);
  });

  it("reads a file of another client if --config names it", async () => {
    await writeFile(join(cwd, "codex.toml"), '[mcp_servers.docs]\ncommand = "npx"\n');
    const files = await inspectConfig({ cwd, env, home, configFiles: ["codex.toml"] });
    expect(filesWithEntry(files, "docs").map(({ source }) => source)).toEqual(["invocation"]);
  });
});

describe("locateServer", () => {
  it.each([
    ['{\n"mcp": {\n"servers": {\n"s": {}\n}}}', 4],
    ['{ "mcpServers": {\n"s": {} } }', 2],
    ['{ "mcpServers": {\n"t": {} } }', undefined],
    ["[]", undefined],
    ["", undefined],
  ])("finds the line of the entry in %j", (text, line) => {
    expect(locateServer(text, "s")).toBe(line);
  });
});
