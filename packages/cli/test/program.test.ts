/** The command line itself: what can't be read of it, and what its help says. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { runPiped, runPipedProcess, setUp } from "./helpers/run-plugboard.ts";

describe("a command line that can't be read", () => {
  it.each([
    ["an unknown command", ["frobnicate"], "unknown command 'frobnicate'"],
    ["an unknown option", ["list", "--colour"], "unknown option '--colour'"],
    ["a missing argument", ["call"], "missing required argument 'server:tool'"],
    ["an option without its value", ["list", "--config"], "argument missing"],
    ["a server given twice", ["list", "--mcp-server", "a=x", "--mcp-server", "a=y"], 'gives "a" twice'],
    ["two ways to log in", ["login", "x", "--no-browser", "--device"], "cannot be used with option '--no-browser'"],
    ["a place for logins that is none", ["auth", "store", "cloud"], "Allowed choices are keyring, file"],
    ["a URL that is no web address", ["list", "--mcp-server", "a=ftp://x"], "not ftp://"],
  ])("%s is a usage error with a hint", async (_, args, words) => {
    const { status, stdout, stderr } = await runPiped(await setUp(), ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^USAGE: .*See `plugboard --help`\.\n$/);
    expect(stderr).toContain(words);
  });

  it("is told as JSON when asked to", async () => {
    const { stderr } = await runPiped(await setUp(), "frobnicate", "--json");
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "USAGE" } });
  });
});

it("takes common options before the command as well", async () => {
  const setup = await setUp();
  const { stdout } = await runPiped(setup, "--json", "--mcp-server", "a=x", "list", "--mcp-server", "b=y");
  expect((JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)).toEqual(["a", "b"]);
});

it("helps with examples, the place of the config and the exit statuses", async () => {
  const setup = await setUp();
  const { status, stdout } = await runPiped(setup, "--help");
  expect(status).toBe(0);
  expect(stdout).toContain("plugboard call files:read_text_file path=notes.md");
  expect(stdout).toContain(setup.env["PLUGBOARD_CONFIG_PATH"]);
  expect(stdout).toMatch(/^Exit status:/m);
  expect((await runPiped(setup, "list", "--help")).stdout).not.toContain("default: []");
});

it("helps, without success, when no command is given", async () => {
  expect(await runPiped(await setUp())).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("Usage:") as string,
  });
});

/** Waits until somebody is there to tell of it. */
const DEFECT = "setInterval(()=>{if(process.listenerCount('uncaughtException'))throw new Error('oops')},20)";

it("ends in one line and status 70 when it has a defect", async () => {
  const setup = await setUp({ mcpServers: { a: scriptedLegacy() } });
  const broken = {
    ...setup,
    env: {
      ...setup.env,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(DEFECT)}`,
    },
  };
  const { status, stderr } = await runPipedProcess(broken, "call", "a:hold");
  expect(status).toBe(70);
  expect(stderr).toBe("INTERNAL: Internal error: oops. This is a defect in Plugboard. Please report it.\n");
});
