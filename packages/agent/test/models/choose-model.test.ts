/** Tests where the model and its URL come from. */
import { chooseModel, openModel } from "@plugboard/agent";
import type { ModelSettings, ModelSources } from "@plugboard/agent";
import { PROVIDERS } from "#models/providers.js";
import { describe, expect, it } from "vitest";

const chosen = (sources: Partial<ModelSources>) => {
  const { id, baseUrl } = chooseModel({ env: {}, ...sources }) ?? {};
  return { id, baseUrl };
};

describe("chooseModel", () => {
  const env = { PLUGBOARD_MODEL: "ollama/from-env" };
  const config = { model: "openai/from-config" };

  it.each([
    ["the option before everything", { option: { model: "vllm/x" }, config, env }, "vllm/x"],
    ["the environment before the config", { config, env }, "ollama/from-env"],
    ["the config last", { config, env: {} }, "openai/from-config"],
    ["no model if none is set", { env: { PLUGBOARD_MODEL: "" } }, undefined],
  ])("takes %s", (_title, sources, id) => {
    expect(chosen(sources).id).toBe(id);
  });

  it("uses the URL that is set with the model, then the provider's variable, then the provider's URL", () => {
    const option = { model: "anthropic/x" };
    const env = { ANTHROPIC_BASE_URL: "https://proxy.example/v1" };
    expect(chosen({ option: { ...option, baseUrl: "http://127.0.0.1:1/v1/" }, env }).baseUrl).toBe(
      "http://127.0.0.1:1/v1",
    );
    expect(chosen({ option, env }).baseUrl).toBe("https://proxy.example/v1");
    expect(chosen({ option }).baseUrl).toBe("https://api.anthropic.com/v1");
    expect(chosen({ option: { model: "ollama/x" } }).baseUrl).toBe("http://127.0.0.1:11434/v1");
  });

  it("does not send the key of one provider to the URL of another provider's model", () => {
    const env = { PLUGBOARD_MODEL: "compatible/x", PLUGBOARD_MODEL_URL: "http://127.0.0.1:1/v1" };
    expect(chosen({ option: { model: "anthropic/y" }, env }).baseUrl).toBe("https://api.anthropic.com/v1");
    expect(chosen({ option: { model: "compatible/y" }, env }).baseUrl).toBe("http://127.0.0.1:1/v1");
  });

  it("takes the URL, the price and the context window of a provider from the config", () => {
    const price = { input: 1, output: 2 };
    const models = { small: { contextTokens: 8000, price } };
    const providers = {
      lab: { baseUrl: "http://10.0.0.5:8000/v1/", models },
      anthropic: { baseUrl: "https://p.example" },
    };
    const env = { ANTHROPIC_BASE_URL: "https://other.example/v1", PLUGBOARD_MODEL_URL: "https://env.example/v1" };
    const choose = (model: string) => chooseModel({ option: { model }, config: { providers }, env });
    expect(choose("lab/small")).toMatchObject({ baseUrl: "http://10.0.0.5:8000/v1", contextTokens: 8000, price });
    expect(choose("lab/toString")).not.toHaveProperty("contextTokens");
    expect(choose("anthropic/x")).toMatchObject({ baseUrl: "https://p.example", provider: { wire: "messages" } });
  });

  it.each([
    ["gpt", /a model is set as provider\/model/],
    ["anthropic/", /a model is set as provider\/model/],
    ["toString/x", /there is no provider "toString"\. Known: anthropic, openai,.*"model\.providers"/],
    ["compatible/x", /needs a base URL; set `PLUGBOARD_MODEL_URL`, or "base_url"/],
  ])("rejects %s", (model, message) => {
    expect(() => chooseModel({ option: { model }, env: {} })).toThrow(message);
  });

  it("rejects a base URL that is not http", () => {
    expect(() => chooseModel({ option: { model: "ollama/x", baseUrl: "file:///x" }, env: {} })).toThrow(
      /https:\/\/ or/,
    );
  });
});

describe("openModel", () => {
  it("says what to set if no model is set, and names the models on this machine", async () => {
    const opening = openModel({ env: {}, findLocal: async () => ["ollama/qwen3"] });
    await expect(opening).rejects.toMatchObject({ code: "MODEL_NOT_SET", details: { found: ["ollama/qwen3"] } });
    await expect(opening).rejects.toThrow(/ollama\/qwen3\. Set `model`.*`PLUGBOARD_MODEL`.*`ANTHROPIC_API_KEY`/);
  });

  it("names the variable of a missing key", async () => {
    const opening = openModel({ option: { model: "openai/x" }, env: { OPENAI_API_KEY: "" } });
    await expect(opening).rejects.toMatchObject({ code: "MODEL_KEY_MISSING", details: { variable: "OPENAI_API_KEY" } });
  });
});

describe("a chosen model", () => {
  it("has the price and context window of the option, or else of the config", () => {
    const price = { input: 1, output: 2 };
    const config = { providers: { ollama: { models: { "a/b": { contextTokens: 5, price } } } } };
    const choose = (option: ModelSettings) => chooseModel({ option, config, env: {} });
    expect(choose({ model: "ollama/a/b" })).toEqual({
      id: "ollama/a/b",
      providerName: "ollama",
      provider: PROVIDERS["ollama"],
      model: "a/b",
      baseUrl: "http://127.0.0.1:11434/v1",
      isUsualUrl: true,
      contextTokens: 5,
      price,
    });
    const own = { input: 7, output: 7 };
    expect(
      choose({ model: "ollama/a/b", contextTokens: 0, price: own, baseUrl: "https://x.example///" }),
    ).toMatchObject({
      contextTokens: 0,
      price: own,
      baseUrl: "https://x.example",
      isUsualUrl: false,
    });
    expect(choose({ model: "ollama/c" })).not.toHaveProperty("price");
  });

  it("has the key of its provider's config", async () => {
    const apiKey = async () => "configured";
    const providers = { lab: { baseUrl: "https://lab.example", apiKey }, other: { baseUrl: "https://o.example" } };
    const choose = (model: string) => chooseModel({ option: { model }, config: { providers }, env: {} });
    expect(choose("lab/x")).toMatchObject({
      apiKey,
      provider: { sdk: "compatible", wire: "chat", keyRequired: false },
    });
    expect(choose("other/x")).not.toHaveProperty("apiKey");
    expect(choose("lab/x")?.provider).not.toHaveProperty("keyVariable");
  });

  it("uses a URL from the option or the environment that is set without a model", () => {
    const option = { baseUrl: "https://o.example" };
    expect(chosen({ option, config: { model: "ollama/x" } }).baseUrl).toBe("https://o.example");
    const env = { PLUGBOARD_MODEL_URL: "https://e.example", OPENAI_BASE_URL: "" };
    expect(chosen({ config: { model: "openai/x" }, env }).baseUrl).toBe("https://e.example");
    expect(chosen({ config: { model: "openai/x" }, env: { OPENAI_BASE_URL: "" } }).baseUrl).toBe(
      "https://api.openai.com/v1",
    );
    expect(chosen({ config: { model: "openai-chat/x" }, env: { OPENAI_BASE_URL: "https://v.example" } }).baseUrl).toBe(
      "https://v.example",
    );
  });

  it.each(["/x", "x", ""])("can't be named %j", (model) => {
    expect(() => chooseModel({ option: { model }, env: {} })).toThrow(/provider\/model/);
  });
});

it("the providers have these URLs, variables and wire formats", () => {
  const rows = Object.entries(PROVIDERS).map(([name, provider]) => [name, ...Object.values(provider)]);
  expect(rows.map((row) => row.map(String).toSorted())).toEqual(
    [
      [
        "anthropic",
        "anthropic",
        "messages",
        "https://api.anthropic.com/v1",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
        "true",
      ],
      ["openai", "openai", "https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY", "true", "responses"],
      ["openai-chat", "openai", "https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY", "true", "chat"],
      ["ollama", "compatible", "chat", "PLUGBOARD_MODEL_KEY", "false", "true", "http://127.0.0.1:11434/v1"],
      ["lmstudio", "compatible", "chat", "PLUGBOARD_MODEL_KEY", "false", "true", "http://127.0.0.1:1234/v1"],
      ["vllm", "compatible", "chat", "PLUGBOARD_MODEL_KEY", "false", "true", "http://127.0.0.1:8000/v1"],
      ["compatible", "compatible", "chat", "PLUGBOARD_MODEL_KEY", "false", "true"],
    ].map((row) => row.toSorted()),
  );
});
