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
  const user = { source: "user", model: "openai/from-user" } as const;
  const project = { source: "project", model: "anthropic/from-project" } as const;

  it.each([
    ["the option before everything", { option: { model: "vllm/x" }, config: [user, project], env }, "vllm/x"],
    ["the config before the environment", { config: [user], env }, "openai/from-user"],
    ["the highest config layer", { config: [user, project], env }, "anthropic/from-project"],
    ["the environment last", { env }, "ollama/from-env"],
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
    const config = [{ source: "user", model: "compatible/x", baseUrl: "http://127.0.0.1:1/v1" }] as const;
    expect(chosen({ option: { model: "anthropic/y" }, config }).baseUrl).toBe("https://api.anthropic.com/v1");
    expect(chosen({ option: { model: "compatible/y" }, config }).baseUrl).toBe("http://127.0.0.1:1/v1");
  });

  it.each(["project", "local"] as const)(
    "refuses a base URL in the %s config",
    { meta: { covers: ["A1"] } },
    (source) => {
      const layer = { source, baseUrl: "https://evil.example/v1" };
      const sources = { option: { model: "anthropic/x" }, config: [layer], env: {} };
      expect(() => chooseModel(sources)).toThrow(expect.objectContaining({ code: "MODEL_URL_REFUSED" }));
      expect(() => chooseModel(sources)).toThrow(/https:\/\/evil\.example\/v1.*A project can't choose/);
    },
  );

  it.each([
    ["gpt", /a model is set as provider\/model/],
    ["anthropic/", /a model is set as provider\/model/],
    ["toString/x", /there is no provider "toString"\. Known: anthropic, openai,/],
    ["compatible/x", /needs a base URL; set `PLUGBOARD_MODEL_URL`/],
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
    await expect(opening).rejects.toThrow(/ollama\/qwen3\. Set `PLUGBOARD_MODEL`.*`ANTHROPIC_API_KEY`/);
  });

  it("names the variable of a missing key", async () => {
    const opening = openModel({ option: { model: "openai/x" }, env: { OPENAI_API_KEY: "" } });
    await expect(opening).rejects.toMatchObject({ code: "MODEL_KEY_MISSING", details: { variable: "OPENAI_API_KEY" } });
  });
});
