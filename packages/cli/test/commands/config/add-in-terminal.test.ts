/** Tests what `plugboard add` offers on a terminal: to store keys as secrets, and to test the server. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { setUpProject } from "../../helpers/project.ts";
import type { Project } from "../../helpers/project.ts";
import { runInTerminal } from "../../helpers/run-plugboard.ts";

const KEY = "hunter2hunter2";
const STORE_QUESTION = "Store it among your secrets instead";
const TEST_QUESTION = "Test it now, as with `plugboard test s`? y / n: ";

function add(project: Project, ...options: string[]) {
  const { command, args } = scriptedLegacy();
  return runInTerminal(project, "add", "s", ...options, "--", command, ...args);
}

const storedSecrets = ({ env }: Project) => readFile(join(env["XDG_STATE_HOME"]!, "plugboard", "secrets.json"), "utf8");

describe("plugboard add on a terminal", () => {
  it("stores a key as a secret, and writes only a reference to the file", async () => {
    const project = await setUpProject();
    const terminal = add(project, "-e", `API_TOKEN=${KEY}`, "-e", "REGION=eu");
    await terminal.waitFor(`API_TOKEN looks like a secret, and ${project.files.project} would have it in plain text.`);
    await terminal.waitFor(STORE_QUESTION);
    await expect(project.read("project")).rejects.toMatchObject({ code: "ENOENT" });
    terminal.type("y\r");
    await terminal.waitFor("Stored API_TOKEN as the secret s.API_TOKEN.");
    await terminal.waitFor(TEST_QUESTION);
    terminal.type("n\r");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await project.servers("project")).toMatchObject({
      s: { env: { API_TOKEN: { $secret: "s.API_TOKEN" }, REGION: "eu" } },
    });
    expect(await storedSecrets(project)).toContain(KEY);
    expect(terminal.output()).not.toContain(KEY);
    expect(terminal.output()).not.toContain("Next: plugboard test");
  });

  it("keeps a key in the file if the user wants it, and warns", async () => {
    const project = await setUpProject();
    const terminal = add(project, "-e", `API_TOKEN=${KEY}`);
    await terminal.waitFor(STORE_QUESTION);
    terminal.type("n\r");
    await terminal.waitFor("API_TOKEN is a secret in plain text");
    await terminal.waitFor(TEST_QUESTION);
    terminal.type("\x04");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await project.servers("project")).toMatchObject({ s: { env: { API_TOKEN: KEY } } });
    await expect(storedSecrets(project)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("adds nothing after Ctrl-C at the question about a key", async () => {
    const project = await setUpProject();
    const terminal = add(project, "-e", `API_TOKEN=${KEY}`);
    await terminal.waitFor(STORE_QUESTION);
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
    expect(terminal.output()).toContain("nothing was added");
    await expect(project.read("project")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("tests the server at once if the user wants it, with the stored key", async () => {
    const project = await setUpProject();
    const terminal = add(project, "-e", `API_TOKEN=${KEY}`);
    await terminal.waitFor(STORE_QUESTION);
    terminal.type("y\r");
    await terminal.waitFor(TEST_QUESTION);
    terminal.type("y\r");
    await terminal.waitFor("list tools");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it("returns the exit status of a test that fails, and keeps the server", async () => {
    const project = await setUpProject();
    const terminal = runInTerminal(project, "add", "s", "no-such-program");
    await terminal.waitFor("was not found in PATH");
    await terminal.waitFor(TEST_QUESTION);
    terminal.type("y\r");
    expect((await terminal.exited).exitCode).not.toBe(0);
    expect(terminal.output()).toContain("no-such-program");
    expect(Object.keys(await project.servers("project"))).toEqual(["s"]);
  });

  it("asks nothing about a key if the user's file does not exist yet, and creates it", async () => {
    const project = await setUpProject();
    const file = join(project.home, "new.json");
    const setup = { ...project, env: { ...project.env, PLUGBOARD_CONFIG_PATH: file } };
    const terminal = add(setup, "--scope", "user", "-e", `API_TOKEN=${KEY}`);
    await terminal.waitFor(TEST_QUESTION);
    terminal.type("n\r");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await readFile(file, "utf8")).toContain(KEY);
  });

  it("asks nothing with --json, and offers no test of a disabled server", async () => {
    const project = await setUpProject();
    const json = add(project, "--json", "-e", `API_TOKEN=${KEY}`);
    expect(await json.exited).toMatchObject({ exitCode: 0 });
    const disabled = add(project, "--replace", "--enabled", "false");
    await disabled.waitFor("To enable it, run");
    expect(await disabled.exited).toMatchObject({ exitCode: 0 });
  });
});
