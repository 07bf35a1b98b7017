/** Tests `plugboard profile list`, `set` and `remove`. */
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project.ts";
import { runPiped, runPipedProcess } from "../../helpers/run-plugboard.ts";

const CONFIG = '{\n  // mine\n  "mcp": { "servers": { "files": { "command": "npx" } } }\n}\n';

describe("plugboard profile", () => {
  it("adds, shows, replaces and removes a profile of the user's config, and keeps comments", async () => {
    const project = await setUpProject();
    await project.write("user", CONFIG);
    const words = ["profile", "set", "review", "--server", "files", "--include", "files:read_*", "--exclude", "*:x"];
    const added = await runPipedProcess(project, ...words, "--json");
    expect(added).toMatchObject({ status: 0, stderr: "" });
    const profile = { servers: ["files"], tools: { include: ["files:read_*"], exclude: ["*:x"] } };
    expect(await parseOutput("profile", added.stdout)).toMatchObject({ action: "added", profile });

    const listed = await runPipedProcess(project, "profile", "list", "--json");
    expect(await parseOutput("profile-list", listed.stdout)).toMatchObject([
      { name: "review", source: "user", profile },
    ]);
    expect((await runPiped(project, "profile", "list")).stdout).toMatch(
      /^review +user +files +files:read_\*, not \*:x +–$/m,
    );

    expect((await runPiped(project, "profile", "set", "review", "--server", "other")).stdout).toContain(
      "is replaced in",
    );
    expect(await project.read("user")).toContain('"other"');
    const removed = await runPipedProcess(project, "profile", "remove", "review", "--json");
    expect(await parseOutput("profile", removed.stdout)).toMatchObject({ action: "removed" });
    expect(await project.read("user")).toContain("// mine");
    expect((await runPiped(project, "profile", "list")).stdout).toContain("No profiles");
  });

  it("sets the rules, names, folder and result limit of a profile", async () => {
    const project = await setUpProject();
    await project.write("user", CONFIG);
    const words = ["profile", "set", "work", "--server", "files", "--naming", "{tool}", "--cwd", "~/work"];
    const settings = ["--deny", "files:write_*", "--ask", "files:*", "--max-result-bytes", "20000"];
    const added = await runPipedProcess(project, ...words, ...settings, "--json");
    expect(await parseOutput("profile", added.stdout)).toMatchObject({
      profile: {
        servers: ["files"],
        permissions: { ask: ["files:*"], deny: ["files:write_*"] },
        naming: "{tool}",
        cwd: "~/work",
        max_result_bytes: 20_000,
      },
    });
    expect((await runPiped(project, "profile", "list")).stdout).toContain(
      "ask files:*, deny files:write_*, names {tool}, folder ~/work, results up to 20000 bytes",
    );
  });

  it("stores the absolute path of a relative folder", async () => {
    const project = await setUpProject();
    await project.write("user", CONFIG);
    const { stdout } = await runPipedProcess(project, "profile", "set", "here", "--cwd", ".", "--json");
    expect(await parseOutput("profile", stdout)).toMatchObject({ profile: { cwd: project.cwd } });
  });

  it("warns about an unknown server", async () => {
    const project = await setUpProject();
    await project.write("user", CONFIG);
    const { status, stderr } = await runPiped(project, "profile", "set", "p", "--server", "fils");
    expect(status).toBe(0);
    expect(stderr).toBe('warning: there is no server "fils" here; did you mean "files"?\n');
  });

  it.each([
    ["no content", ["set", "p"], "a profile needs at least one option"],
    ["an invalid name", ["set", "a b", "--server", "a"], "a profile name must be 1 to 64 of"],
    ["the name __proto__", ["set", "__proto__", "--server", "a"], "a profile name must be 1 to 64 of"],
    [
      "an invalid pattern",
      ["set", "p", "--include", "read"],
      '"read" in "tools.include" is not of the form "server:tool"',
    ],
    ["an invalid rule", ["set", "p", "--deny", "files"], '"files" in "permissions.deny" is not a rule'],
    ["names without the server for two", ["set", "p", "--naming", "{tool}"], 'can be "{tool}" only if "servers" names'],
    ["an unknown name to remove", ["remove", "p"], 'There is no profile "p" in'],
  ])("rejects %s, and changes nothing", async (_, words, message) => {
    const project = await setUpProject();
    const before = await project.read("user");
    const { status, stderr } = await runPiped(project, "profile", ...words);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(await project.read("user")).toBe(before);
  });
});
