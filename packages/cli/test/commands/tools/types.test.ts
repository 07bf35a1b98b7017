/** Tests `plugboard types` with real servers. */
import { mkdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { everythingStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { filesystemStdio, memoryStdio } from "@plugboard/testkit/third-party-servers";
import { GENERATED_MARK } from "#signatures/declare-tools.js";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { puppetServer, runInShell, runPiped, runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";

describe("plugboard types", () => {
  it("prints the types of one server", async () => {
    const setup = await setUp({ mcpServers: { mem: memoryStdio(), broken: { command: "no-such-command" } } });
    const { status, stdout, stderr } = await runPipedProcess(setup, "types", "mem");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot("../../golden/types.txt");
  });

  it("prints the same types of all servers each time", async () => {
    const setup = await setUp({ mcpServers: { fs: filesystemStdio("."), every: everythingStdio() } });
    const first = await runPiped(setup, "types");
    expect(first.stdout).toMatch(/"every:echo": [^]*"fs:write_file": /);
    expect((await runPiped(setup, "types")).stdout).toBe(first.stdout);
  });

  it("writes a file, and overwrites only a file that it has written", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy() } });
    const file = join(setup.cwd, "tools.d.ts");
    for (let run = 0; run < 2; run++) {
      const { status, stdout } = await runPiped(setup, "types", "--output", "tools.d.ts");
      expect({ status, stdout }).toEqual({
        status: 0,
        stdout: expect.stringMatching(/^Wrote the types of \d+ tools to .*tools\.d\.ts\.\n$/) as string,
      });
    }
    expect(await readFile(file, "utf8")).toContain('"a:echo": { args: AEchoArgs; result: AEchoResult };');
    await writeFile(file, "export const mine = 1;\n");
    const refused = await runPiped(setup, "types", "--output", "tools.d.ts");
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining("it is not overwritten") as string });
    expect(await readFile(file, "utf8")).toBe("export const mine = 1;\n");
  });

  it.each(["existing", "missing"])("writes to the %s target of a symbolic link, and keeps the link", async (kind) => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy() } });
    await mkdir(join(setup.cwd, "target"));
    if (kind === "existing") await writeFile(join(setup.cwd, "target/tools.d.ts"), `${GENERATED_MARK}\n`);
    await symlink("target/tools.d.ts", join(setup.cwd, "link.d.ts"));
    const { status, stderr } = await runPiped(setup, "types", "--output", "link.d.ts");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(await readlink(join(setup.cwd, "link.d.ts"))).toBe("target/tools.d.ts");
    expect(await readFile(join(setup.cwd, "target/tools.d.ts"), "utf8")).toContain('"a:echo"');
  });

  it("keeps the old file if the new one can't be written", { meta: { covers: ["F45"] } }, async () => {
    const setup = await setUp({ mcpServers: { a: puppetServer({ copies: 200 }) } });
    const file = join(setup.cwd, "tools.d.ts");
    const old = `${GENERATED_MARK}\n`;
    await writeFile(file, old);
    const { status, stderr } = await runInShell(setup, "ulimit -f 4; plugboard types a --output tools.d.ts");
    expect(stderr).toContain("STORE_UNWRITABLE");
    expect(status).toBe(3);
    expect(await readFile(file, "utf8")).toBe(old);
    const missing = await runPiped(setup, "types", "a", "--output", "none/tools.d.ts");
    expect(missing).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("its folder does not exist") as string,
    });
  });

  it("prints JSON that matches the committed schema", async () => {
    const setup = await setUp({ mcpServers: { mem: memoryStdio() } });
    const printed = await parseOutput("types", (await runPiped(setup, "types", "--json")).stdout);
    expect(printed).toMatchObject({
      tools: expect.arrayContaining(["mem:read_graph"]) as string[],
      types: expect.any(String) as string,
    });
    const written = await parseOutput("types", (await runPiped(setup, "types", "--json", "--output", "t.d.ts")).stdout);
    expect(written).toMatchObject({ file: join(setup.cwd, "t.d.ts") });
  });

  it("fails if a server can't be started, because its tools are missing", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy(), broken: { command: "no-such-command" } } });
    const { status, stdout, stderr } = await runPiped(setup, "types");
    expect(status).toBe(3);
    expect(stdout).toContain('"a:echo"');
    expect(stderr).toContain("broken: SERVER_SPAWN_FAILED");
  });

  it("rejects an unknown server with a suggestion", async () => {
    const { status, stderr } = await runPiped(
      await setUp({ mcpServers: { memory: memoryStdio() } }),
      "types",
      "memroy",
    );
    expect(status).toBe(2);
    expect(stderr).toContain('Did you mean "memory"?');
  });
});
