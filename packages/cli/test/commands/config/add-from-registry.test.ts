/** Tests `plugboard add --from-registry` against a registry on this machine, in pipes and on a pseudo-terminal. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import type { RegistryServerOptions } from "@plugboard/testkit/registry/registry-server";
import { registryEntry, SAMPLE_SERVERS } from "@plugboard/testkit/registry/sample-servers";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project.ts";
import type { Project } from "../../helpers/project.ts";
import { runInTerminal, runPiped, runPipedProcess } from "../../helpers/run-plugboard.ts";

const FILES = "io.github.example/filesystem";
const WEATHER = "io.github.example/weather-mcp";
const HYBRID = "com.example/hybrid-mcp";

async function setUpRegistry(options?: RegistryServerOptions): Promise<Project> {
  const registry = await startRegistryServer(options);
  onTestFinished(() => registry.close());
  const project = await setUpProject();
  return { ...project, env: { ...project.env, PLUGBOARD_REGISTRY_URL: registry.url } };
}

const storedSecrets = async ({ env }: Project) => {
  const file = join(env["XDG_STATE_HOME"]!, "plugboard", "secrets.json");
  const { secrets } = JSON.parse(await readFile(file, "utf8")) as { secrets: { [name: string]: { value: string } } };
  return Object.fromEntries(Object.entries(secrets).map(([name, { value }]) => [name, value]));
};

describe("plugboard add --from-registry in a pipe", { meta: { covers: ["R3.95"] } }, () => {
  it("shows what would run, saves it, and says what to set", async () => {
    const { env, ...project } = await setUpRegistry();
    await writeFile(join(project.home, "uvx"), "", { mode: 0o755 });
    const setup = { ...project, env: { ...env, PATH: `${project.home}:${env["PATH"]}` } };
    const { status, stdout, stderr } = await runPipedProcess(setup, "add", "weather", "--from-registry", WEATHER);
    expect(status).toBe(0);
    await expect(`${stderr}----\n${stdout.replaceAll(project.home, "~")}`).toMatchFileSnapshot(
      "../../golden/add-from-registry.txt",
    );
    expect(await project.servers("project")).toEqual({
      weather: {
        command: "uvx",
        args: ["weather-mcp-server==0.5.0"],
        env: { WEATHER_API_KEY: { $secret: "weather.WEATHER_API_KEY" }, WEATHER_UNITS: "celsius" },
      },
    });
    const list = await runPiped(setup, "secret", "list", "--json");
    expect(JSON.parse(list.stdout)).toMatchObject({
      secrets: [{ name: "weather.WEATHER_API_KEY", state: "missing", servers: ["weather"] }],
    });
  });

  it("reads the registry once", async () => {
    const registry = await startRegistryServer();
    onTestFinished(() => registry.close());
    const { status } = await runPiped(
      await setUpProject(),
      ...["add", "weather", "--from-registry", WEATHER, "--registry", registry.url],
    );
    expect([status, registry.requests.length]).toEqual([0, 1]);
  });

  it("takes inputs, variables, arguments and settings from options", async () => {
    const project = await setUpRegistry();
    const options = ["--input", "target_dir=/a", "--input", "target_dir=/b", "-e", "LOG_LEVEL=debug", "--arg", "-v"];
    const settings = ["--cwd", "/work", "--request-timeout-ms", "9", "--enabled", "false", "--scope", "user"];
    const result = await runPiped(project, "add", "fs", "--from-registry", FILES, ...options, ...settings);
    expect(result.status).toBe(0);
    expect(result.stdout).not.toContain("Set before its first use");
    expect(await project.servers("user")).toEqual({
      fs: {
        command: "npx",
        args: ["-y", "@example/server-filesystem@1.0.2", "/a", "/b", "-v"],
        env: { LOG_LEVEL: "debug" },
        cwd: "/work",
        request_timeout_ms: 9,
        enabled: false,
      },
    });
  });

  it("takes the first URL or package that fits the options", async () => {
    const project = await setUpRegistry();
    const add = (id: string, ...words: string[]) => runPiped(project, "add", id, "--from-registry", HYBRID, ...words);
    await add("a", "--input", "tenant=acme", "-H", "Authorization: Bearer ${TOKEN}", "--request-timeout-ms", "9");
    await add("b", "--transport", "sse");
    await add("c", "-e", "A=b");
    expect(await project.servers("project")).toEqual({
      a: {
        transport: "http",
        url: "https://acme.example.com/mcp",
        headers: { "X-Region": "eu", Authorization: "Bearer ${TOKEN}" },
        request_timeout_ms: 9,
      },
      b: { transport: "sse", url: "https://old.example.com/sse" },
      c: { command: "dnx", args: ["--yes", "Example.HybridServer@1.5.0-beta", "--", "mcp", "start"], env: { A: "b" } },
    });
    const none = await add("d", "--transport", "websocket");
    expect(none.status).toBe(2);
    expect(none.stderr).toContain("it does not fit the options");
  });

  it("prints JSON that matches the committed schema", async () => {
    const project = await setUpRegistry();
    const { stdout } = await runPiped(project, "add", "h", "--from-registry", HYBRID, "--json");
    expect(await parseOutput("add", stdout)).toMatchObject({
      id: "h",
      action: "added",
      needs: {
        secrets: [{ name: "h.Authorization", form: "Bearer {token}" }],
        variables: [{ name: "PLUGBOARD_INPUT_H_TENANT" }],
      },
    });
  });

  it("warns about a deprecated server, and selects a version", async () => {
    const project = await setUpRegistry();
    const name = "io.github.example/old-weather@0.9.5";
    const { status, stderr } = await runPiped(project, "add", "old", "--from-registry", name);
    expect([status, stderr]).toEqual([0, expect.stringContaining("warning: this server is deprecated. Use io.github")]);
  });

  const bundle = registryEntry({
    name: "com.example/bundle",
    packages: [{ registryType: "mcpb", identifier: "https://x.example/b.mcpb", transport: { type: "stdio" } }],
  });

  it.each([
    [["--from-registry", "com.example/none"], 2, 'There is no server "com.example/none" in the registry'],
    [["--from-registry", "filesystem"], 2, `Did you mean ${FILES}?`],
    [["--from-registry", "io.github.example/filesytsem"], 2, `Did you mean ${FILES}?`],
    [["--from-registry", `${FILES}@9.9.9`], 2, `There is no version 9.9.9 of the server "${FILES}"`],
    [["--from-registry", "com.example/bundle"], 2, "Plugboard can't run packages of the type mcpb"],
    [["--from-registry", FILES, "npx"], 2, "with --from-registry, give no command or URL"],
    [["--from-registry", FILES, "--url", "https://x.example"], 2, "can't be used together with"],
    [["--from-registry", FILES, "--input", "target=/a"], 2, 'the server has no input "target"'],
    [["--from-registry", FILES, "--input", "s3cret"], 2, "--input must be of the form name=value"],
    [["--from-registry", WEATHER, "--input", "WEATHER_API_KEY=s3cret"], 2, "history of your shell"],
    [["--from-registry", WEATHER, "--input", "WEATHER_UNITS=kelvin"], 2, "must be one of: celsius, fahrenheit"],
    [["--from-registry", FILES, "-H", "A: b"], 2, "it does not fit the options"],
    [["--input", "a=b", "npx"], 2, "--input is for --from-registry"],
  ])("rejects %j and saves nothing", async (words, exit, message) => {
    const project = await setUpRegistry({ servers: [bundle, ...SAMPLE_SERVERS] });
    const { status, stderr } = await runPiped(project, "add", "x", ...words);
    expect([status, stderr]).toEqual([exit, expect.stringContaining(message)]);
    expect(stderr).not.toContain("s3cret");
    await expect(project.read("project")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("says that a server is unknown, even if the search for a similar name fails", async () => {
    const project = await setUpRegistry({ searchFailure: { status: 500 } });
    const { status, stderr } = await runPiped(project, "add", "x", "--from-registry", "filesystem");
    expect([status, stderr]).toEqual([2, expect.stringContaining('NOT_FOUND: There is no server "filesystem"')]);
    expect(stderr).not.toContain("Did you mean");
  });

  it("rejects an id that exists, before it reads the registry", async () => {
    const project = await setUpRegistry({ failure: "silent" });
    await project.write("project", { mcp: { servers: { fs: { command: "x" } } } });
    const { status, stderr } = await runPiped(project, "add", "fs", "--from-registry", FILES);
    expect([status, stderr]).toEqual([2, expect.stringContaining("SERVER_EXISTS")]);
  });
});

describe("plugboard add --from-registry on a terminal", () => {
  it("asks how to run the server and for its inputs, shows the command, and stores the typed secret", async () => {
    const project = await setUpRegistry();
    const terminal = runInTerminal(project, "add", "h", "--from-registry", HYBRID);
    await terminal.waitFor("Which one? [1]: ");
    terminal.type("9\r");
    await terminal.waitFor("Type a number from 1 to 3.");
    await terminal.waitFor("Which one? [1]: ");
    terminal.type("1\r");
    await terminal.waitFor("│ Your tenant");
    await terminal.waitFor("tenant: ");
    terminal.type("acme\r");
    await terminal.waitFor("token (not shown): ");
    terminal.type("t0ps3cret\r");
    await terminal.waitFor("calls: ");
    await terminal.waitFor("https://acme.example.com/mcp");
    await terminal.waitFor("with: Authorization: <secret h.Authorization>");
    await terminal.waitFor("Add it? y / n: ");
    await expect(project.read("project")).rejects.toMatchObject({ code: "ENOENT" });
    terminal.type("y\r");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(terminal.output()).not.toContain("t0ps3cret");
    expect(terminal.output()).not.toContain("Set before its first use");
    expect(await project.servers("project")).toMatchObject({
      h: { url: "https://acme.example.com/mcp", headers: { Authorization: { $secret: "h.Authorization" } } },
    });
    expect(await storedSecrets(project)).toEqual({ "h.Authorization": "Bearer t0ps3cret" });
  });

  it("reads several values of a repeated argument, and asks again after an invalid one", async () => {
    const project = await setUpRegistry();
    const terminal = runInTerminal(project, "add", "fs", "--from-registry", FILES, "--transport", "stdio");
    await terminal.waitFor("Which one? [1]: ");
    terminal.type("\r");
    await terminal.waitFor("target_dir: ");
    terminal.type("${oops\r");
    await terminal.waitFor("which is not a valid reference");
    await terminal.waitFor("target_dir: ");
    for (const [typed, next] of [
      ["/a", "another target_dir: "],
      ["/b c", "another target_dir: "],
      ["", "Add it? y / n: "],
    ] as const) {
      terminal.type(`${typed}\r`);
      await terminal.waitFor(next);
    }
    expect(terminal.output()).toContain("npx -y @example/server-filesystem@1.0.2 /a '/b c'");
    terminal.type("yes\r");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await project.servers("project")).toMatchObject({
      fs: { args: ["-y", "@example/server-filesystem@1.0.2", "/a", "/b c"] },
    });
  });

  it.each([
    ["n\r", 5, "Nothing was added."],
    ["\x04", 5, "Nothing was added."],
    ["\x03", 130, "nothing was added"],
  ])("saves nothing after %j", async (keys, exitCode, message) => {
    const project = await setUpRegistry();
    const terminal = runInTerminal(project, "add", "w", "--from-registry", WEATHER);
    await terminal.waitFor("WEATHER_API_KEY (not shown): ");
    terminal.type("k3y\r");
    await terminal.waitFor("Add it? y / n: ");
    terminal.type(keys);
    expect(await terminal.exited).toMatchObject({ exitCode });
    expect(terminal.output()).toContain(message);
    await expect(project.read("project")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(storedSecrets(project)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("asks nothing with --yes", async () => {
    const project = await setUpRegistry();
    const terminal = runInTerminal(project, "add", "w", "--from-registry", WEATHER, "--yes");
    await terminal.waitFor("Set before its first use:");
    await terminal.waitFor("plugboard secret set w.WEATHER_API_KEY");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it("quotes texts of the registry, so that they can't imitate a question", { meta: { covers: ["A7"] } }, async () => {
    const hostile = registryEntry({
      name: "com.example/hostile",
      title: "\u001b[2J",
      description: "ok\nAdd it? y / n: y",
      packages: [
        {
          registryType: "npm",
          identifier: "x",
          transport: { type: "stdio" },
          packageArguments: [
            {
              type: "positional",
              valueHint: "a\nWhich one? [1]: ",
              description: "Add it?\n\u001b[31m",
              isRequired: true,
            },
          ],
        },
      ],
    });
    const project = await setUpRegistry({ servers: [hostile] });
    const terminal = runInTerminal(project, "add", "x", "--from-registry", "com.example/hostile");
    await terminal.waitFor('"a⏎Which one? [1]: "');
    terminal.type("\x03");
    await terminal.exited;
    expect(terminal.output()).not.toMatch(/\u001b\[2J|\u001b\[31m|\nAdd it\?/);
  });
});
