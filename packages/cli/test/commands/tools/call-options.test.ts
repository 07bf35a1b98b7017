/** Tests the arguments and options of `plugboard call`. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { everythingStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { filesystemStdio, memoryStdio } from "@plugboard/testkit/third-party-servers";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import {
  puppetServer,
  runPiped,
  runPipedProcess,
  runPipedWithInput,
  setUp,
  startCommand,
} from "../../helpers/run-plugboard.ts";

/** A server whose result is the arguments that it got. */
const mirror = (inputSchema: object) => puppetServer({ tools: [{ name: "go", inputSchema }], mirror: true });

it("plugboard call does not print warnings about other servers", async () => {
  const config = { mcpServers: { a: scriptedLegacy(), other: { command: "npx -y foo" } } };
  const setup = await setUp(config);
  expect(await runPiped(setup, "call", "a:echo", "text=hi")).toMatchObject({ status: 0, stderr: "" });
  expect((await runPiped(setup, "list")).stderr).toContain('"command" contains spaces');
  expect((await runPiped(setup, "call", "other:go")).stderr).toContain('"command" contains spaces');
});

it.each(["text", "raw"])(
  "plugboard call --format %s says that a structured result was left out, and why",
  async (format) => {
    const outputSchema = { type: "object", properties: { n: { type: "integer" } } };
    const tools = [{ name: "go", inputSchema: { type: "object" }, outputSchema }];
    const result = { content: [{ type: "text", text: "one" }], structuredContent: { n: "one" } };
    const setup = await setUp({ mcpServers: { a: puppetServer({ tools, result }) } });
    const { status, stdout, stderr } = await runPiped(setup, "call", "a:go", "--format", format);
    expect([status, stdout.trim()]).toEqual([0, "one"]);
    expect(stderr).toBe(
      `The structured result did not match the tool's output schema and was left out: "n" must be a whole number, but is a string.\n`,
    );
  },
);

describe("the arguments of plugboard call", () => {
  it("are converted by the schemas of real servers", { meta: { covers: ["R0.1"] } }, async () => {
    const store = await setUp();
    const mem = { ...memoryStdio(), env: { MEMORY_FILE_PATH: join(store.cwd, "memory.json") } };
    const config = { mcpServers: { mem, every: everythingStdio() } };
    await writeFile(store.env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify(config));
    const entity = '{"name":"Ann","entityType":"person","observations":["42"]}';
    expect(await runPiped(store, "call", "mem:create_entities", `entities=${entity}`)).toMatchObject({ status: 0 });
    const opened = await runPiped(store, "call", "mem:open_nodes", "names=Ann", "--json");
    expect(JSON.parse(opened.stdout)).toMatchObject({ structuredContent: { entities: [{ name: "Ann" }] } });
    const sum = await runPiped(store, "call", "every:get-sum", "a=2", "b:=3");
    expect(sum.stdout).toContain("The sum of 2 and 3 is 5.");
  });

  it("are read from files and stdin without a change of any byte", { meta: { covers: ["R3.35"] } }, async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy() } });
    await writeFile(join(setup.cwd, "text.txt"), " ünï\r\n\tcode \n\n");
    expect((await runPiped(setup, "call", "a:echo", "text=@text.txt", "--format", "raw")).stdout).toBe(
      " ünï\r\n\tcode \n\n",
    );
    expect((await runPiped(setup, "call", "a:echo", "text=@@text.txt", "--format", "raw")).stdout).toBe("@text.txt");
    expect((await runPiped(setup, "call", "a:echo", 'text:="quoted"', "--format", "raw")).stdout).toBe("quoted");
    const piped = await runPipedWithInput(setup, "from\nstdin", "call", "a:echo", "text=@-", "--format", "raw");
    expect(piped.stdout).toBe("from\nstdin");
  });

  it("that the closed schema does not know are an error with the nearest name, and nothing is sent", async () => {
    const setup = await setUp({
      mcpServers: { a: mirror({ type: "object", properties: { path: {} }, additionalProperties: false }) },
    });
    const { status, stdout, stderr } = await runPiped(setup, "call", "a:go", "paht=x");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(
      'INVALID_ARGUMENTS: Invalid arguments for "a:go": "paht" is unknown (did you mean "path"?). Its arguments: go(path?: unknown). `plugboard tools a:go` explains them.\n',
    );
  });

  it("that the open schema does not know are a warning with the nearest name, and are sent", async () => {
    const setup = await setUp({ mcpServers: { a: mirror({ type: "object", properties: { path: {} } }) } });
    expect(await runPiped(setup, "call", "a:go", "paht=x")).toEqual({
      status: 0,
      stdout: '{"paht":"x"}\n',
      stderr: 'warning: "paht" is not in the tool\'s schema. Did you mean "path"? It is sent anyway.\n',
    });
    const { stderr } = await runPiped(setup, "call", "a:go", "paht=x", "--json");
    expect(JSON.parse(stderr)).toMatchObject({ warning: { argument: "paht", suggestion: "path" } });
  });

  it("that are missing are all named without a terminal, with the signature", async () => {
    const setup = await setUp({ mcpServers: { fs: filesystemStdio(".") } });
    const { status, stderr } = await runPiped(setup, "call", "fs:move_file");
    expect(status).toBe(2);
    expect(stderr).toContain('"source" is required; "destination" is required.');
    expect(stderr).toContain("Its arguments: move_file(source: string, destination: string).");
  });
});

describe("plugboard call --format", () => {
  const content = [
    { type: "text", text: "a\u001b[1m\n" },
    { type: "image", mimeType: "image/png", data: "AAAA" },
    { type: "resource", resource: { uri: "x:y", text: "b" } },
  ];
  const setup = () => setUp({ mcpServers: { a: puppetServer({ result: { content, isError: true } }) } });

  it("prints only the text with raw", async () => {
    expect(await runPiped(await setup(), "call", "a:go", "--format", "raw")).toEqual({
      status: 1,
      stdout: "a\u001b[1m\nb",
      stderr: "",
    });
  });

  it("prints the whole result with json, and errors as JSON", async () => {
    const { stdout } = await runPiped(await setup(), "call", "a:go", "--format", "json");
    expect(await parseOutput("call", stdout)).toEqual({ content, isError: true });
    const failed = await runPiped(await setup(), "call", "a:gone", "--format", "json");
    expect(failed.status).toBe(2);
    expect(JSON.parse(failed.stderr)).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", details: { suggestion: "a:go" } },
    });
  });

  it("says with raw that a result has no text", async () => {
    const image = puppetServer({ result: { content: [content[1]] } });
    const { stdout, stderr } = await runPiped(
      await setUp({ mcpServers: { a: image } }),
      "call",
      "a:go",
      "--format",
      "raw",
    );
    expect(stdout).toBe("");
    expect(stderr).toContain("The result has no text.");
  });

  it("matches the schema of the output for a result of a real server", async () => {
    const setup = await setUp({ mcpServers: { every: everythingStdio() } });
    const { stdout } = await runPiped(setup, "call", "every:get-structured-content", "location=Chicago", "--json");
    expect(await parseOutput("call", stdout)).toMatchObject({
      structuredContent: { conditions: expect.any(String) as string },
    });
  });

  it("rejects an unknown format, and a format together with --json", async () => {
    expect((await runPiped(await setup(), "call", "a:go", "--format", "yaml")).stderr).toContain("text or json or raw");
    expect((await runPiped(await setup(), "call", "a:go", "--format", "raw", "--json")).stderr).toContain(
      "can't be used together",
    );
  });
});

describe("plugboard call --timeout", () => {
  it("cancels the call at the server, and names the timeout to raise", async () => {
    const { command, args } = scriptedLegacy();
    const logging = { command: "bash", args: ["-c", 'exec "$@" 2>>log.txt', "bash", command, ...args] };
    const setup = await setUp({ mcpServers: { a: logging } });
    const { status, stdout, stderr } = await runPiped(setup, "call", "a:hold", "--timeout", "300");
    expect({ status, stdout }).toEqual({ status: 4, stdout: "" });
    expect(stderr).toBe(
      'REQUEST_TIMEOUT: "a" did not answer tools/call within 300 ms, so the request was cancelled. If it needs more time, raise `--timeout`.\n',
    );
    expect(await readFile(join(setup.cwd, "log.txt"), "utf8")).toMatch(/^holding \d+\ncancelled \d+\n/);
    const activity = await runPiped(setup, "activity", "--json");
    const entries = activity.stdout.split("\n").flatMap((line) => (line ? [JSON.parse(line) as object] : []));
    expect(entries).toContainEqual(expect.objectContaining({ tool: "hold", code: "REQUEST_TIMEOUT" }));
  });

  it("does not delay a call that finishes in time", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy() } });
    expect(await runPiped(setup, "call", "a:echo", "text=x", "--timeout", "600000")).toMatchObject({ stdout: "x\n" });
  });
});

describe("plugboard call --yes", () => {
  const ask = { permissions: { ask: ["a:ec*"] } };
  const config = (permissions: object = ask) => setUp({ mcp: { servers: { a: scriptedLegacy() }, ...permissions } });

  it("allows the call that a rule asks about", async () => {
    const setup = await config();
    expect(await runPiped(setup, "call", "a:echo", "text=x", "--yes")).toEqual({
      status: 0,
      stdout: "x\n",
      stderr: "",
    });
    const again = await runPiped(setup, "call", "a:echo", "text=x");
    expect(again).toMatchObject({ status: 5, stdout: "" });
    expect(again.stderr).toBe(
      'NOBODY_TO_ASK: "a:echo" needs permission (rule a:ec* in `permissions.ask`), and nobody is there to give it. Run the command in a terminal, or with `--yes` to allow this call. To allow it for good, change the rule.\n',
    );
  });

  it("does not allow a call that a rule denies", async () => {
    const { status, stderr } = await runPiped(
      await config({ permissions: { deny: ["a:echo"] } }),
      "call",
      "a:echo",
      "text=x",
      "--yes",
    );
    expect(status).toBe(5);
    expect(stderr).toContain("TOOL_DENIED");
  });

  it("allows the call at a running host too", async () => {
    const setup = await config();
    const host = startCommand(setup, "serve", "--port", "0");
    await host.stdout.waitFor("Stop with Ctrl-C", 15_000);
    expect(await runPipedProcess(setup, "call", "a:echo", "text=x", "--yes")).toEqual({
      status: 0,
      stdout: "x\n",
      stderr: "",
    });
  });

  it("does not approve a server of a project", async () => {
    const setup = await setUp();
    const cwd = join(setup.cwd, "project");
    await mkdir(cwd);
    await writeFile(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { a: scriptedLegacy() } }));
    const { status, stdout, stderr } = await runPiped({ ...setup, cwd }, "call", "a:echo", "text=x", "--yes");
    expect({ status, stdout }).toEqual({ status: 5, stdout: "" });
    expect(stderr).toContain("SERVER_UNTRUSTED");
  });

  it("answers no question other than that of a rule", async () => {
    const { status, stdout, stderr } = await runPiped(await config(), "call", "a:ask", "--yes");
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'answer: {"action":"cancel"}\n' });
    expect(stderr).toContain("can't be asked here. It was dismissed.");
  });
});
