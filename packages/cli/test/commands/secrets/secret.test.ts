/** Tests the commands for secrets as child processes, in pipes and on a pseudo-terminal. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { everythingStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { startKeyring } from "../../../../host/test/helpers/auth/keyring-session.ts";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runInTerminal, runPiped, runPipedProcess, runPipedWithInput, setUp } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

const VALUE = "gh0-s3cret-value";

/** A server that needs the secret `github`, and one that needs none. */
async function setUpServers(): Promise<Setup> {
  const needy = { ...everythingStdio(), env: { TOKEN: { $secret: "github" } } };
  return setUp({ mcpServers: { needy, plain: everythingStdio() } });
}

const secretFile = (setup: Setup) => join(setup.env["XDG_STATE_HOME"]!, "plugboard", "secrets.json");

/** Replaces the path of the state folder, which differs in each test. */
const withoutPath = (text: string, setup: Setup) => text.replaceAll(setup.cwd, "~");

describe("plugboard secret set", { meta: { covers: ["R2.61"] } }, () => {
  it("stores the value from a pipe, without its line break, and lets the server connect", async () => {
    const setup = await setUpServers();
    const failed = await runPiped(setup, "call", "needy:echo", "message=hi");
    expect(failed.status).toBe(2);
    expect(failed.stderr).toContain("Run `plugboard secret set github` to store it.");
    const set = await runPipedWithInput(setup, `${VALUE}\n`, "secret", "set", "github");
    expect(set).toMatchObject({ status: 0, stderr: "" });
    expect(set.stdout).toContain("Stored github. needy uses it from the next connect on.");
    expect(JSON.parse(await readFile(secretFile(setup), "utf8"))).toMatchObject({
      secrets: { github: { value: VALUE } },
    });
    expect(await runPiped(setup, "call", "needy:echo", "message=hi")).toMatchObject({ status: 0 });
  });

  it("asks on a terminal and shows neither the value nor its length", { meta: { covers: ["A12"] } }, async () => {
    const setup = await setUpServers();
    const terminal = runInTerminal(setup, "secret", "set", "github");
    await terminal.waitFor("Value of github (not shown): ");
    terminal.type(`${VALUE}x\x7f\r`);
    await terminal.waitFor("Stored github.");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(terminal.output()).not.toMatch(/s3cret|\*\*\*/);
    expect(await readFile(secretFile(setup), "utf8")).toContain(`"${VALUE}"`);
  });

  it("stores nothing after Ctrl-C, Ctrl-D or an empty line", async () => {
    const setup = await setUpServers();
    for (const [keys, exitCode, message] of [
      ["s3cret\x03", 130, "nothing was stored"],
      ["\x04", 2, "the value is empty"],
      ["\r", 2, "the value is empty"],
    ] as const) {
      const terminal = runInTerminal(setup, "secret", "set", "github");
      await terminal.waitFor("(not shown): ");
      terminal.type(keys);
      expect(await terminal.exited).toMatchObject({ exitCode });
      expect(terminal.output()).toContain(message);
      expect(terminal.output()).not.toContain("s3cret");
    }
    await expect(readFile(secretFile(setup))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("refuses the value as an argument without repeating it", { meta: { covers: ["A12"] } }, async () => {
    const { status, stderr } = await runPiped(await setUpServers(), "secret", "set", "github", VALUE);
    expect(status).toBe(2);
    expect(stderr).toContain("it would stay in the history of your shell");
    expect(stderr).not.toContain(VALUE);
  });

  it("refuses an invalid name and an empty pipe", async () => {
    const setup = await setUpServers();
    const named = await runPipedWithInput(setup, VALUE, "secret", "set", "a b");
    expect([named.status, named.stderr]).toEqual([2, expect.stringContaining("the name of a secret consists of")]);
    const empty = await runPipedWithInput(setup, "", "secret", "set", "github");
    expect([empty.status, empty.stderr]).toEqual([2, expect.stringContaining("the value is empty")]);
  });
});

describe("plugboard secret list and remove", () => {
  it("show the names of secrets, the servers that need them, and which secrets are missing", async () => {
    const setup = await setUpServers();
    await runPipedWithInput(setup, VALUE, "secret", "set", "unused");
    const before = await runPiped(setup, "secret", "list");
    await expect(withoutPath(before.stdout, setup)).toMatchFileSnapshot("../../golden/secret-list.txt");
    await runPipedWithInput(setup, VALUE, "secret", "set", "github");
    const removed = await runPiped(setup, "secret", "remove", "github");
    expect(removed.stdout).toBe("Removed github. needy can't connect without it.\n");
    expect(await runPiped(setup, "secret", "rm", "github")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: 'NOT_FOUND: There is no stored secret "github".\n',
    });
    expect((await runPiped(await setUp(), "secret", "list")).stdout).toContain("No secrets.\n");
  });

  it("print JSON that matches the committed schemas and contains no value", async () => {
    const setup = await setUpServers();
    const set = await runPipedWithInput(setup, VALUE, "secret", "set", "github", "--json");
    expect(await parseOutput("secret-set", set.stdout)).toMatchObject({ name: "github", servers: ["needy"] });
    const list = await runPiped(setup, "secret", "list", "--json");
    expect(await parseOutput("secret-list", list.stdout)).toMatchObject({
      backend: "file",
      secrets: [{ name: "github", state: "stored", servers: ["needy"] }],
    });
    const removed = await runPiped(setup, "secret", "remove", "github", "--json");
    expect(await parseOutput("secret-remove", removed.stdout)).toEqual({
      name: "github",
      servers: ["needy"],
    });
    expect(set.stdout + list.stdout + removed.stdout).not.toContain(VALUE);
  });
});

describe("plugboard secret with a keyring", () => {
  it("encrypts the value, fails while the keyring is locked, and moves it with `auth store`", async () => {
    const session = await startKeyring("unlocked");
    const { cwd, env } = await setUpServers();
    const setup = { cwd, env: { ...env, ...session.env } };
    const set = await runPipedWithInput(setup, VALUE, "secret", "set", "github");
    expect(set.stdout).toContain("encrypted with a key in the keyring");
    expect(await readFile(secretFile(setup), "utf8")).not.toContain(VALUE);
    expect(await runPiped(setup, "call", "needy:echo", "message=hi")).toMatchObject({ status: 0 });
    const locked = { cwd, env: { ...env, ...(await session.restart("locked")).env } };
    const list = await runPipedProcess(locked, "secret", "list");
    expect(list).toMatchObject({ status: 3, stdout: expect.stringMatching(/github +can't be read +needy/) });
    expect(list.stderr).toContain("KEYRING_UNAVAILABLE");
    const unlocked = { cwd, env: { ...env, ...(await session.restart("unlocked")).env } };
    expect(await runPipedProcess(unlocked, "auth", "store", "file")).toMatchObject({ status: 0 });
    expect(await readFile(secretFile(unlocked), "utf8")).toContain(VALUE);
  });
});
