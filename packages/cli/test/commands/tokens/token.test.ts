/** Tests the commands for tokens, also against a running host. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runPiped, setUp, startCommand } from "../../helpers/run-plugboard.ts";

const TOKEN = /^plugboard_[\w-]{43}\n$/;

describe("plugboard token", () => {
  it("prints the owner's token, with and without `show`", async () => {
    const setup = await setUp();
    const shown = await runPiped(setup, "token", "show");
    expect(shown).toMatchObject({ status: 0, stderr: "", stdout: expect.stringMatching(TOKEN) as string });
    expect((await runPiped(setup, "token")).stdout).toBe(shown.stdout);
    const json = await parseOutput("token-show", (await runPiped(setup, "token", "show", "--json")).stdout);
    expect(json).toEqual({ token: shown.stdout.trim() });
  });

  it("creates a token that is printed once, and lists its name and limits", { meta: { covers: ["A12"] } }, async () => {
    const setup = await setUp();
    const created = await runPiped(setup, "token", "create", "cursor", "--profile", "review", "--may-approve");
    expect(created).toMatchObject({ status: 0, stdout: expect.stringMatching(TOKEN) as string });
    expect(created.stderr).toContain("is not shown again");
    expect(created.stderr).toContain('there is no profile "review"');
    const json = await parseOutput("token-create", (await runPiped(setup, "token", "create", "ci", "--json")).stdout);
    expect(json).toMatchObject({ name: "ci", mayApprove: false });
    const listed = await runPiped(setup, "token", "list");
    expect(listed.stdout).toMatch(
      /^TOKEN +PROFILE +MAY APPROVE +CREATED\ncursor +review +yes +\d{4}-.*\nci +all servers +no +/,
    );
    const listedJson = (await runPiped(setup, "token", "list", "--json")).stdout;
    expect(await parseOutput("token-list", listedJson)).toMatchObject({ tokens: [{ name: "cursor" }, { name: "ci" }] });
    for (const text of [listed.stdout, listedJson]) expect(text).not.toMatch(/plugboard_|[0-9a-f]{64}/);
  });

  it("says that calls without a rule need a person who watches", async () => {
    const setup = await setUp({ mcp: { profiles: { review: { servers: [] } } } });
    const { stderr } = await runPiped(setup, "token", "create", "cursor", "--profile", "review");
    expect(stderr).toContain("Calls that no rule allows ask you");
    expect(stderr).toContain("`plugboard inbox --watch`");
    expect(stderr).not.toContain("warning");
  });

  it("says that calls without a rule run if the client may approve", async () => {
    const { stderr } = await runPiped(await setUp(), "token", "create", "editor", "--may-approve");
    expect(stderr).toContain("Calls that no rule mentions run without a question from Plugboard");
    expect(stderr).toContain("A rule `ask` asks you in the client, if it supports forms");
    expect(stderr).not.toContain("Calls that no rule allows ask you");
  });

  it("says that a new token of a revoked name inherits nothing", async () => {
    const setup = await setUp();
    await runPiped(setup, "token", "create", "cursor");
    const { stdout } = await runPiped(setup, "token", "revoke", "cursor");
    expect(stdout).toMatch(/^Revoked cursor\. .*A new token of this name starts without them\.\n$/);
  });

  it("says how to create a token if there is none", async () => {
    expect((await runPiped(await setUp(), "token", "list")).stdout).toContain("`plugboard token create <name>`");
  });

  it("refuses to create a token with a taken or reserved name, and to revoke a token that does not exist", async () => {
    const setup = await setUp();
    await runPiped(setup, "token", "create", "cursor");
    for (const [words, message] of [
      [["create", "cursor"], 'there is already a token "cursor"'],
      [["create", "owner"], 'is not "owner"'],
      [["revoke", "codex"], 'There is no token "codex".'],
    ] as const) {
      const { status, stderr, stdout } = await runPiped(setup, "token", ...words);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(message);
    }
  });

  it("revokes a token so that the running host refuses it from then on", async () => {
    const setup = await setUp({ mcp: { servers: { tested: scriptedLegacy() } } });
    const token = (await runPiped(setup, "token", "create", "cursor")).stdout.trim();
    const server = startCommand(setup, "serve", "--port", "0");
    await server.stdout.waitFor("Stop with Ctrl-C", 15_000);
    const endpoint = /running at (\S+)/.exec(server.stdout.text)![1]!;
    const status = async () =>
      (await fetch(`${endpoint}/mcp`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await status()).toBe(405);
    const revoked = await runPiped(setup, "token", "revoke", "cursor", "--json");
    expect(await parseOutput("token-revoke", revoked.stdout)).toEqual({ name: "cursor" });
    expect(await status()).toBe(401);
  });
});
