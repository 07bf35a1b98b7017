/** Tests which key a model gets, and which answers count as lists of local models. */
import { findLocalModels, openModel } from "@plugboard/agent";
import type { ModelPart, OpenModelOptions } from "@plugboard/agent";
import { describe, expect, it, vi } from "vitest";

/** Returns the request that the provider gets. */
async function sentBy(options: OpenModelOptions) {
  const sent: { url: string; headers: Headers; body: string }[] = [];
  const fetch = async (url: unknown, init?: RequestInit) => {
    sent.push({ url: String(url), headers: new Headers(init?.headers), body: init?.body as string });
    return new Response("{}", { status: 400 });
  };
  const model = await openModel({ fetch, ...options });
  const { signal } = new AbortController();
  const parts: ModelPart[] = [];
  const reading = async () => {
    for await (const part of model.stream({ system: "s", messages: [], tools: [], signal })) parts.push(part);
  };
  await expect(reading()).rejects.toMatchObject({ code: "MODEL_FAILED" });
  return { model, sent };
}

const keyOf = async (options: OpenModelOptions) => (await sentBy(options)).sent[0]?.headers.get("authorization");

describe("openModel", () => {
  it("returns a model with its price and context window, if they are known", async () => {
    const env = { OPENAI_API_KEY: "k" };
    const price = { input: 1, output: 2 };
    const { model } = await sentBy({ option: { model: "openai/x", contextTokens: 0, price }, env });
    expect(model).toEqual({ id: "openai/x", contextTokens: 0, price, stream: expect.any(Function) as unknown });
    const bare = await openModel({ option: { model: "openai/x" }, env });
    expect(Object.keys(bare).toSorted()).toEqual(["id", "stream"]);
  });

  it.each([
    ["anthropic/x", { ANTHROPIC_API_KEY: "k" }, "https://api.anthropic.com/v1/messages"],
    ["openai/x", { OPENAI_API_KEY: "k" }, "https://api.openai.com/v1/responses"],
    ["openai-chat/x", { OPENAI_API_KEY: "k" }, "https://api.openai.com/v1/chat/completions"],
    ["ollama/x", {}, "http://127.0.0.1:11434/v1/chat/completions"],
  ])("sends requests of %s to the right URL", async (model, env, url) => {
    expect((await sentBy({ option: { model }, env })).sent[0]?.url).toBe(url);
  });

  it("asks a compatible server for the usage", async () => {
    const { sent } = await sentBy({ option: { model: "ollama/x" }, env: {} });
    expect(JSON.parse(sent[0]!.body)).toMatchObject({ stream_options: { include_usage: true } });
  });

  it("takes the key of the config, then of the environment, then of the secrets", async () => {
    const config = { providers: { openai: { apiKey: async () => "configured" } } };
    const option = { model: "openai/x" };
    const env = { OPENAI_API_KEY: "variable" };
    const asked: string[] = [];
    const secret = async (name: string) => (asked.push(name), "secret");
    expect(await keyOf({ option, config, env, secret })).toBe("Bearer configured");
    expect(await keyOf({ option, env, secret })).toBe("Bearer variable");
    expect(asked).toEqual([]);
    expect(await keyOf({ option, env: { OPENAI_API_KEY: "" }, secret })).toBe("Bearer secret");
    expect(asked).toEqual(["OPENAI_API_KEY"]);
  });

  it("needs no key for a compatible server, and looks for one only at an unusual URL", async () => {
    const asked: string[] = [];
    const secret = async (name: string) => (asked.push(name), undefined);
    expect(await keyOf({ option: { model: "ollama/x" }, env: {}, secret })).toBeNull();
    expect(asked).toEqual([]);
    const option = { model: "ollama/x", baseUrl: "http://127.0.0.1:9/v1" };
    expect(await keyOf({ option, env: {}, secret })).toBeNull();
    expect(asked).toEqual(["PLUGBOARD_MODEL_KEY"]);
  });

  it("fails without a key, or without a model", async () => {
    const missing = openModel({ option: { model: "anthropic/x" }, env: {}, secret: async () => "" });
    await expect(missing).rejects.toMatchObject({
      code: "MODEL_KEY_MISSING",
      details: { model: "anthropic/x", variable: "ANTHROPIC_API_KEY" },
    });
    await expect(openModel({ env: {} })).rejects.toMatchObject({ code: "MODEL_NOT_SET", details: { found: [] } });
  });
});

describe("findLocalModels", () => {
  const find = (answer: () => Response) =>
    findLocalModels({ urls: { vllm: "http://[::1]:1/v1" }, fetch: async () => answer() });
  const list = (count: number, padding = "") =>
    JSON.stringify({ data: Array.from({ length: count }, (_, index) => ({ id: `m${index}` })), padding });

  it("waits for all servers at most 300 ms by default", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    await findLocalModels({ urls: {} });
    expect(timeout).toHaveBeenCalledWith(300);
  });

  it("lists the models of an answer", async () => {
    const found = [{ provider: "vllm", baseUrl: "http://[::1]:1/v1", models: ["vllm/m0", "vllm/m1"] }];
    expect(await find(() => new Response(list(2)))).toEqual(found);
    expect(
      await findLocalModels({ urls: { a: "http://localhost/v1" }, fetch: async () => new Response(list(1)) }),
    ).toHaveLength(1);
    const odd = JSON.stringify({ data: [{ id: 7 }, "text", { id: "m0" }, { id: "m1" }] });
    expect(await find(() => new Response(odd))).toEqual(found);
    const utf8 = new TextEncoder().encode(JSON.stringify({ data: [{ id: "é" }] }));
    const bytes = Array.from(utf8, (byte) => Uint8Array.of(byte));
    expect(await find(() => new Response(ReadableStream.from(bytes)))).toMatchObject([{ models: ["vllm/é"] }]);
  });

  it.each([
    ["an error", () => new Response(list(1), { status: 500 })],
    ["no body", () => new Response(null)],
    ["an empty list", () => new Response(list(0))],
    ["no list", () => new Response('{"data":{}}')],
    ["no object", () => new Response("[]")],
    ["more than a million characters", () => new Response(list(1, "x".repeat(1_000_000)))],
  ])("ignores %s", async (_, answer) => {
    expect(await find(answer)).toEqual([]);
  });

  it("reads up to a million characters, and follows no redirect", async () => {
    const padding = "x".repeat(1_000_000 - list(1).length);
    const inits: unknown[] = [];
    const fetch = async (_url: unknown, init?: RequestInit) => (inits.push(init), new Response(list(1, padding)));
    expect(await findLocalModels({ urls: { vllm: "http://127.0.0.1:1/v1" }, fetch })).toHaveLength(1);
    expect(inits).toMatchObject([{ redirect: "error" }]);
  });
});
