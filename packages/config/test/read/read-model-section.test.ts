/** Tests the section `model` of config files. */
import type { ConfigSource } from "@plugboard/contracts";
import { mergeLayers } from "#read/merge-layers.js";
import { readLayerFromText } from "#read/read-layer.js";
import { configuredModels } from "#resolve/configured-models.js";
import { describe, expect, it } from "vitest";

const FILE = "/home/ann/config.json";

function read(model: unknown, source: ConfigSource = "user") {
  return readLayerFromText(FILE, JSON.stringify({ mcp: { model } }), { source, folder: "/home/ann" });
}

const price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
const lab = {
  base_url: "https://llm.example.com/v1",
  api_key: { $secret: "LAB_KEY" },
  models: { "org/small": { context_tokens: 32_000, price } },
};

describe("the key model of a config file", () => {
  it("can be a model", async () => {
    expect(await read("anthropic/x")).toMatchObject({ problems: [], model: { model: "anthropic/x" } });
  });

  it("can set providers with a URL, a key, prices and context windows", async () => {
    const { model, problems } = await read({ default: "lab/org/small", providers: { lab } });
    expect(problems).toEqual([]);
    expect(model?.model).toBe("lab/org/small");
    expect(model?.providers.get("lab")).toEqual({
      baseUrl: "https://llm.example.com/v1",
      apiKey: { $secret: "LAB_KEY" },
      folder: "/home/ann",
      models: {
        "org/small": { contextTokens: 32_000, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } },
      },
    });
  });

  it.each<[unknown, string]>([
    ["opus", "it must be a text such as"],
    [7, "it must be a text such as"],
    [{ default: "opus" }, '"default" must be a text such as'],
    [{ defaults: "a/b" }, '"defaults"'],
    [{ providers: [] }, '"providers" must be an object'],
    [{ providers: { "a/b": {} } }, '"providers.a/b": the name must be'],
    [{ providers: { a: { base_url: "ftp://x" } } }, '"providers.a.base_url" must be a URL'],
    [{ providers: { a: { base_url: "https://ann:secret@x" } } }, '"providers.a.base_url" must be a URL'],
    [{ providers: { a: { baseurl: "https://x" } } }, 'did you mean "base_url"?'],
    [{ providers: { a: { api_key: 7 } } }, '"providers.a.api_key" must be a string'],
    [
      { providers: { a: { models: { m: { context_tokens: 0 } } } } },
      '"providers.a.models.m.context_tokens" must be a positive',
    ],
    [
      { providers: { a: { models: { m: { price: { input: 1 } } } } } },
      '"providers.a.models.m.price.output" must be a number',
    ],
    [{ providers: { a: { models: { m: { price: { ...price, out: 1 } } } } } }, '"out"'],
  ])("has no effect, and is reported, if it is %j", async (model, message) => {
    const layer = await read(model);
    expect(layer.model).toEqual({ providers: new Map() });
    expect(layer.problems).toMatchObject([{ severity: "error", message: expect.stringContaining(message) as string }]);
  });

  it("may name a program that prints the API key, but only in the file of the user or the administrator", async () => {
    const model = { providers: { lab: { api_key: { $cmd: ["pass", "lab"] } } } };
    expect((await read(model)).problems).toEqual([]);
    expect((await read(model, "invocation")).problems).toMatchObject([
      { message: expect.stringContaining('"providers.lab.api_key" has "$cmd"') as string },
    ]);
  });

  it("ignores the model of a project's file, with a warning", { meta: { covers: ["A1"] } }, async () => {
    const layer = await read("anthropic/x", "project");
    expect(layer.model).toBeUndefined();
    expect(layer.problems).toMatchObject([{ severity: "warning" }]);
  });

  it.each<[ConfigSource, object]>([
    ["project", { base_url: "https://evil.example/v1" }],
    ["local", { base_url: "https://evil.example/v1" }],
    ["project", { api_key: "${ANTHROPIC_API_KEY}" }],
  ])(
    "makes configuredModels refuse all models while the %s file sets the provider %j",
    { meta: { covers: ["A1"] } },
    async (source, provider) => {
      const layers = [
        await read({ default: "anthropic/x" }),
        await read({ providers: { anthropic: provider } }, source),
      ];
      expect(layers[1]?.problems).toMatchObject([{ severity: "error" }]);
      const { model } = mergeLayers(layers, () => true);
      expect(model.providers.size).toBe(0);
      expect(() => configuredModels(model, {}, {})).toThrow(
        expect.objectContaining({ code: "MODEL_URL_REFUSED", details: { file: FILE } }),
      );
    },
  );

  it("replaces a provider of a lower layer as a whole", async () => {
    const lower = await read({ default: "lab/a", providers: { lab, other: {} } }, "managed");
    const higher = await read({ providers: { lab: { base_url: "http://127.0.0.1:1" } } });
    const { model } = mergeLayers([lower, higher], () => true);
    expect(model.model).toBe("lab/a");
    expect([...model.providers.keys()]).toEqual(["lab", "other"]);
    expect(model.providers.get("lab")).toEqual({ baseUrl: "http://127.0.0.1:1", folder: "/home/ann", models: {} });
  });
});

describe("configuredModels", () => {
  const keyOf = async (apiKey: unknown, ports: Parameters<typeof configuredModels>[2] = {}) => {
    const { model } = await read({ providers: { lab: { ...lab, api_key: apiKey } } });
    return configuredModels(model!, { LAB: "from-env" }, ports).providers["lab"]?.apiKey?.();
  };

  it("reads the key from a variable or a stored secret", async () => {
    expect(await keyOf("${LAB}")).toBe("from-env");
    expect(await keyOf({ $secret: "LAB_KEY" }, { secrets: async (name) => `secret ${name}` })).toBe("secret LAB_KEY");
  });

  it.each([
    ["${OTHER}", "OTHER"],
    [{ $secret: "LAB_KEY" }, "LAB_KEY"],
  ])("says which variable or secret is missing for %j", async (apiKey, variable) => {
    const reading = keyOf(apiKey, { secrets: async () => undefined });
    await expect(reading).rejects.toMatchObject({ code: "MODEL_KEY_MISSING", details: { model: "lab/…", variable } });
  });

  it("says why a key file can't be read", async () => {
    await expect(keyOf({ $file: "/nowhere/key" })).rejects.toMatchObject({
      code: "MODEL_INVALID",
      details: { reason: expect.stringContaining("the file does not exist") as string },
    });
  });
});
