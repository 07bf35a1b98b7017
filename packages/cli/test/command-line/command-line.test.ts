/** Tests the parsing of the command line, and the help. */
import { EXIT_STATUSES } from "@plugboard/contracts";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { runPiped, runPipedProcess, setUp } from "../helpers/run-plugboard.ts";

describe("an invalid command line", () => {
  it.each([
    ["an unknown command", ["frobnicate"], "unknown command 'frobnicate'", ""],
    ["an unknown option", ["list", "--colour"], "unknown option '--colour'", "list "],
    ["a missing argument", ["call"], "missing argument <server:tool>", "call "],
    ["an option without a value", ["list", "--config"], "--config needs a value", "list "],
    ["a server given twice", ["list", "--mcp-server", "a=x", "--mcp-server", "a=y"], 'gives "a" twice', ""],
    [
      "two login methods",
      ["login", "x", "--no-browser", "--device"],
      "--device can't be used together with --no-browser",
      "login ",
    ],
    ["an unknown login store", ["auth", "store", "cloud"], "must be keyring or file, not 'cloud'", "auth store "],
    ["a URL with an unsupported scheme", ["list", "--mcp-server", "a=ftp://x"], "not ftp://", ""],
    ["a URL with a password", ["list", "--mcp-server", "a=ftp://u:pw@x"], "--mcp-server a=…: a URL begins", ""],
  ])("is reported as a usage error with a hint: %s", async (_, args, words, command) => {
    const { status, stdout, stderr } = await runPiped(await setUp(), ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^USAGE: .*\n$/);
    expect(stderr).toContain(`See \`plugboard ${command}--help\`.`);
    expect(stderr).toContain(words);
  });

  it("is reported as JSON with --json", async () => {
    const { stderr } = await runPiped(await setUp(), "frobnicate", "--json");
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "USAGE" } });
  });
});

it("plugboard mcp runs the same commands as plugboard", { meta: { covers: ["R2.175"] } }, async () => {
  const setup = await setUp({ mcpServers: { a: { command: "x" } } });
  const group = await runPiped(setup, "mcp", "list", "--json");
  expect(group).toEqual(await runPiped(setup, "list", "--json"));
  expect(JSON.parse(group.stdout)).toMatchObject([{ id: "a" }]);
});

it("plugboard accepts common options before the command's name", async () => {
  const setup = await setUp();
  const { stdout } = await runPiped(setup, "--json", "--mcp-server", "a=x", "list", "--mcp-server", "b=y");
  expect((JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)).toEqual(["a", "b"]);
});

it("plugboard --help shows examples, the path of the config file and the exit statuses", async () => {
  const setup = await setUp();
  const { status, stdout } = await runPiped(setup, "--help");
  expect(status).toBe(0);
  expect(stdout).toContain("plugboard call files:read_text_file path=notes.md");
  expect(stdout).toContain(setup.env["PLUGBOARD_CONFIG_PATH"]);
  const statuses = stdout.slice(stdout.indexOf("\nExit status:\n"));
  for (const { status: exit, meaning } of Object.values(EXIT_STATUSES))
    expect(statuses).toMatch(new RegExp(`  ${exit} +${meaning.replaceAll(/[()]/g, ".")}`));
  expect((await runPiped(setup, "list", "--help")).stdout).not.toContain("default: []");
});

it("plugboard prints the help and fails without a command", async () => {
  expect(await runPiped(await setUp())).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("Usage:") as string,
  });
});

/** Throws in a timer, outside of the command's own promises. */
const DEFECT = "setInterval(()=>{if(process.listenerCount('uncaughtException'))throw new Error('oops')},20)";

it("plugboard reports an uncaught exception in one line and exits with 70", async () => {
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
