/** Tests the operations on a registry in the process of a command, without a host. */
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import { registryEntry } from "@plugboard/testkit/registry/sample-servers";
import type { RegistryChoice, RegistryHit } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished } from "vitest";
import { operationsInProcess } from "../../helpers/operations-in-process.ts";

const NAME = "io.github.example/weather-mcp";
const PYPI = "pypi package weather-mcp-server 0.5.0";

async function setUp(options?: Parameters<typeof startRegistryServer>[0]) {
  const registry = await startRegistryServer(options);
  onTestFinished(() => registry.close());
  const { operations } = await operationsInProcess({ PLUGBOARD_REGISTRY_URL: registry.url });
  return { operations, registry };
}

const runnable = ({ choices }: RegistryHit) =>
  choices.filter((choice): choice is RegistryChoice => !("unsupported" in choice));

describe("searchRegistry", () => {
  it("reads the given registry, and describes what each server would run", async () => {
    const { registry } = await setUp();
    const { operations } = await operationsInProcess({ PLUGBOARD_REGISTRY_URL: "https://127.0.0.1:9" });
    const found = await operations.searchRegistry(["weather"], { registry: registry.url, limit: 1 });
    expect(found).toMatchObject({ registry: registry.url, hasMore: true, servers: [{ name: NAME, id: "weather" }] });
    const choice = runnable(found.servers[0]!).find(({ label }) => label === PYPI);
    expect(choice).toMatchObject({
      entry: { command: "uvx", env: { WEATHER_API_KEY: { $secret: "weather.WEATHER_API_KEY" } } },
      secrets: [{ name: "weather.WEATHER_API_KEY" }],
    });
  });
});

describe("registryServer", () => {
  it("names the secrets after the id, and marks the inputs that given values replace", async () => {
    const { operations } = await setUp();
    const server = await operations.registryServer(NAME, { id: "w", given: { env: { WEATHER_UNITS: "kelvin" } } });
    const [choice] = runnable(server);
    expect(choice).toMatchObject({
      entry: { env: { WEATHER_UNITS: "kelvin" } },
      secrets: [{ name: "w.WEATHER_API_KEY" }],
    });
    const replaced = choice!.inputs.filter((input) => input.replaced).map(({ name }) => name);
    expect(replaced).toEqual(["WEATHER_UNITS"]);
  });

  it("says which choices do not fit the transport or the given values", async () => {
    const { operations } = await setUp();
    const all = await operations.registryServer("com.example/hybrid-mcp");
    const stdio = await operations.registryServer("com.example/hybrid-mcp", { transport: "stdio" });
    expect(runnable(stdio).length).toBeLessThan(runnable(all).length);
    expect(stdio.choices).toContainEqual({
      label: expect.any(String) as string,
      unsupported: "it does not fit the options",
    });
    const withHeader = await operations.registryServer("com.example/hybrid-mcp", {
      given: { headers: { "X-A": "b" } },
    });
    expect(runnable(withHeader).every(({ entry }) => entry.command === undefined)).toBe(true);
  });

  it("suggests a similar name for an unknown server", async () => {
    const { operations } = await setUp();
    await expect(operations.registryServer("io.github.other/weather-mcp")).rejects.toMatchObject({
      code: "NOT_FOUND",
      details: { suggestion: NAME },
    });
  });

  it("ends when its caller cancels it", async () => {
    const { operations } = await setUp({ failure: "silent" });
    const controller = new AbortController();
    const reading = operations.registryServer(NAME, { signal: controller.signal });
    controller.abort();
    await expect(reading).rejects.toThrow();
  });
});

describe("fillRegistryChoice", () => {
  const filling = { id: "w", name: NAME, choice: PYPI, values: { WEATHER_API_KEY: ["canary-key"] } };

  it(
    "returns an entry without secrets, and returns the secrets separately",
    { meta: { covers: ["A12"] } },
    async () => {
      const { operations } = await setUp();
      const { entry, secrets } = await operations.fillRegistryChoice({ ...filling, given: { args: ["--quiet"] } });
      expect(JSON.stringify(entry)).not.toContain("canary");
      expect(entry.args).toContain("--quiet");
      expect(secrets).toMatchObject([{ name: "w.WEATHER_API_KEY", value: "canary-key" }]);
    },
  );

  it("fills the server that the caller was shown last, without another request", async () => {
    const { operations, registry } = await setUp();
    const { version } = await operations.registryServer(NAME);
    expect(registry.requests).toHaveLength(1);
    await operations.fillRegistryChoice({ ...filling, version });
    await operations.planRegistryServer({ ...filling, version, scope: "user" });
    expect(registry.requests).toHaveLength(1);
  });

  it.each([
    ["of another version", { version: "0.0.1" }, "NOT_FOUND"],
    ["of the latest version", {}, undefined],
    ["of another name", { name: "io.github.example/filesystem", version: "0.5.0" }, "NOT_FOUND"],
  ])("reads a server %s from the registry", async (_, more, code) => {
    const { operations, registry } = await setUp();
    await operations.registryServer(NAME);
    const filled = operations.fillRegistryChoice({ ...filling, ...more });
    await (code === undefined ? filled : expect(filled).rejects.toMatchObject({ code }));
    expect(registry.requests).toHaveLength(2);
  });

  it("reads a server that only another registry has shown", async () => {
    const { operations, registry } = await setUp();
    const other = await startRegistryServer();
    onTestFinished(() => other.close());
    const { version } = await operations.registryServer(NAME, { registry: other.url });
    await operations.fillRegistryChoice({ ...filling, version });
    expect([other, registry].map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  it("chooses the second of two packages with the same name", async () => {
    const packages = ["--a", "--b"].map((name) => ({
      registryType: "npm",
      identifier: "same",
      version: "1.0.0",
      transport: { type: "stdio" },
      packageArguments: [{ type: "named", name, value: "x" }],
    }));
    const { operations } = await setUp({ servers: [registryEntry({ name: "com.example/two", packages })] });
    const [, second] = runnable(await operations.registryServer("com.example/two"));
    const draft = { id: "two", name: "com.example/two", choice: second!.label, values: {} };
    expect((await operations.fillRegistryChoice(draft)).entry.args).toContain("--b");
  });

  it.each([
    ["an unknown choice", { choice: "npm package evil" }, "NOT_FOUND"],
    ["an invalid value", { values: { WEATHER_UNITS: ["kelvin"] } }, "USAGE"],
    ["given values of the wrong type", { given: { env: { A: 7 } } }, "USAGE"],
    ["given values that are not an object", { given: "x" }, "USAGE"],
  ])("refuses %s", async (_, more, code) => {
    const { operations } = await setUp();
    await expect(operations.fillRegistryChoice({ ...filling, ...more } as never)).rejects.toMatchObject({ code });
  });
});

it("checkRegistryValue says why a value is not valid", async () => {
  const { operations } = await operationsInProcess();
  const input = {
    name: "n",
    where: "argument",
    required: true,
    secret: false,
    format: "number",
    repeated: false,
  } as const;
  expect(await operations.checkRegistryValue(input, "7")).toEqual({});
  expect(await operations.checkRegistryValue(input, "x")).toEqual({ problem: "must be a number" });
});
