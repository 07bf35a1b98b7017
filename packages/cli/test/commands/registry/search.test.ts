/** Tests `plugboard search` against a registry on this machine that answers as the official one does. */
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import type { RegistryServerOptions } from "@plugboard/testkit/registry/registry-server";
import { registryEntry } from "@plugboard/testkit/registry/sample-servers";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runInTerminal, runPiped, runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";

async function setUpRegistry(options?: RegistryServerOptions) {
  const registry = await startRegistryServer(options);
  onTestFinished(() => registry.close());
  const { cwd, env } = await setUp();
  return { registry, setup: { cwd, env: { ...env, PLUGBOARD_REGISTRY_URL: registry.url } } };
}

describe("plugboard search", { meta: { covers: ["R3.95"] } }, () => {
  it("shows how each server would run, what it needs and how to add it", async () => {
    const { setup } = await setUpRegistry();
    const { status, stdout, stderr } = await runPipedProcess(setup, "search", "example");
    expect([status, stderr]).toEqual([0, ""]);
    await expect(stdout).toMatchFileSnapshot("../../golden/search.txt");
  });

  it("prints JSON that matches the committed schema", async () => {
    const { setup, registry } = await setUpRegistry();
    const { stdout } = await runPiped(setup, "search", "example", "--json");
    expect(await parseOutput("search", stdout)).toMatchObject({
      registry: registry.url,
      hasMore: false,
      servers: [{ id: "filesystem" }, { id: "weather" }, { id: "hybrid" }, { status: "deprecated" }],
    });
  });

  it("reads the registry of --registry, and limits the number of servers", async () => {
    const { setup, registry } = await setUpRegistry();
    const env = { ...setup.env, PLUGBOARD_REGISTRY_URL: "https://127.0.0.1:9" };
    const args = ["search", "weather", "--registry", registry.url, "--limit", "1"];
    const { status, stdout, stderr } = await runPiped({ ...setup, env }, ...args);
    expect(status).toBe(0);
    expect(stdout).toContain("io.github.example/weather-mcp");
    expect(stdout).not.toContain("old-weather");
    expect(stderr).toBe("There may be more servers. Use more words, or `--limit`.\n");
  });

  it("says which words it did not find, and how many servers the registry describes in an invalid form", async () => {
    const { setup, registry } = await setUpRegistry({ servers: [registryEntry({ name: "-x/y" })] });
    const { status, stdout, stderr } = await runPiped(setup, "search", "y", "z");
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toBe(
      `No server in ${registry.url} has "y" and "z".\n` +
        "1 server was left out, because the registry describes it in an invalid form.\n",
    );
  });

  it("shows text of the registry without control characters", { meta: { covers: ["A7"] } }, async () => {
    const hostile = registryEntry({
      name: "com.example/hostile",
      title: "\u001b]0;owned\u0007\u001b[2J",
      description: `first\nplugboard add x --from-registry fake \u202e${"long ".repeat(200)}`,
      remotes: [{ type: "sse", url: "https://x.example/\u001b[31m" }],
    });
    const { setup } = await setUpRegistry({ servers: [hostile] });
    const terminal = runInTerminal(setup, "search", "hostile");
    await terminal.exited;
    const output = terminal.output();
    expect(output).not.toMatch(/\u001b\]|\u001b\[2J|\u001b\[31m|\u202e/);
    expect(output).toContain("first⏎plugboard add x");
    expect(output.split("\r\n").every((line) => line.length < 140)).toBe(true);
  });

  it.each([
    ["malformed", 3, "REGISTRY_INVALID"],
    ["huge", 3, "REGISTRY_UNREACHABLE"],
    [{ status: 500 }, 3, "choose another registry with `--registry`"],
    [{ redirectTo: "https://10.0.0.1/" }, 3, "another site"],
  ] as const)("fails with a message if the registry's answer is %j", async (failure, exit, message) => {
    const { setup } = await setUpRegistry({ failure });
    const { status, stdout, stderr } = await runPiped(setup, "search", "weather");
    expect([status, stdout]).toEqual([exit, ""]);
    expect(stderr).toContain(message);
  });

  it("shows that it waits for a slow registry, and ends with Ctrl-C", async () => {
    const { setup } = await setUpRegistry({ failure: "silent" });
    const terminal = runInTerminal(setup, "search", "weather");
    await terminal.waitFor("reading the registry …");
    terminal.type("\x03");
    const { exitCode, signal } = await terminal.exited;
    expect(exitCode === 130 || signal === 2).toBe(true);
  });

  it("needs a word, a valid limit and a valid URL", async () => {
    const { setup } = await setUpRegistry();
    for (const args of [[], ["x", "--limit", "0"], ["x", "--registry", "http://example.com"]]) {
      expect(await runPiped(setup, "search", ...args)).toMatchObject({ status: 2, stdout: "" });
    }
  });
});
