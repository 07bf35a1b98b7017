/** Tests where the model and its URL come from. */
import { chooseModel, openModel } from "@plugboard/agent";
import type { ModelSources } from "@plugboard/agent";
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
