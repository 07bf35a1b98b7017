/** Tests what the providers get: keys, cache breakpoints, and the data of earlier answers. */
import { openModel, runTurn } from "@plugboard/agent";
import type { OpenModelOptions } from "@plugboard/agent";
import { expect, it } from "vitest";
import { collect, KEYS, modelAt, scriptedServer, toolsOf } from "../helpers/scripted-turn.ts";

const lookThenAnswer = [
  { parts: [{ reasoning: "I should look." }, { call: "look", id: "call_1" }] },
  { parts: [{ text: "A cat." }] },
];
const tools = toolsOf({ look: () => "cat", wait: () => "" });

it("sets cache breakpoints for Anthropic after the tools, the system prompt and the last two inputs", async () => {
  const server = await scriptedServer(...lookThenAnswer, { parts: [{ text: "Yes." }] });
  const model = await modelAt(server);
  const { finished } = await collect(runTurn({ model, tools, prompt: "Look", system: "Be brief." }));
  await collect(runTurn({ model, tools, history: finished.history, prompt: "Sure?", system: "Be brief." }));
  const breakpoint = { cache_control: { type: "ephemeral" } };
  const [first, second, third] = server.requests.map(({ body }) => body);
  expect(first?.["tools"].map((tool: object) => "cache_control" in tool)).toEqual([false, true]);
  expect(first?.["system"]).toMatchObject([breakpoint]);
  expect(first?.["messages"]).toMatchObject([{ content: [breakpoint] }]);
  expect(second?.["messages"]).toMatchObject([{ content: [breakpoint] }, {}, { content: [breakpoint] }]);
  expect(JSON.stringify(third).match(/cache_control/g)).toHaveLength(4);
});

it("returns the reasoning to Anthropic with its signature", async () => {
  const server = await scriptedServer(...lookThenAnswer);
  const turn = await collect(runTurn({ model: await modelAt(server), tools, prompt: "Look" }));
  expect(
    turn
      .ofType("reasoning.delta")
      .map(({ text }) => text)
      .join(""),
  ).toBe("I should look.");
  expect(server.requests[1]?.body["messages"][1].content[0]).toMatchObject({
    type: "thinking",
    thinking: "I should look.",
    signature: "signed:I should look.",
  });
});

it("returns the encrypted reasoning to OpenAI, which stores nothing", async () => {
  const server = await scriptedServer(...lookThenAnswer);
  const option = { model: "openai/gpt-5", baseUrl: server.url };
  const model = await openModel({ option, env: KEYS });
  const turn = await collect(runTurn({ model, tools, prompt: "Look" }));
  expect(turn.finished.reason).toBe("done");
  const bodies = server.requests.map(({ body }) => body);
  expect(bodies).toMatchObject([{ store: false }, { store: false }]);
  expect(bodies[0]?.["include"]).toContain("reasoning.encrypted_content");
  expect(bodies[1]?.["input"]).toContainEqual(
    expect.objectContaining({ type: "reasoning", encrypted_content: "encrypted:I should look." }),
  );
});

it("continues a conversation with the model of another provider", async () => {
  const anthropic = await scriptedServer(...lookThenAnswer);
  const openai = await scriptedServer({ parts: [{ text: "Still a cat." }] });
  const { finished } = await collect(runTurn({ model: await modelAt(anthropic), tools, prompt: "Look" }));
  const next = { tools, history: finished.history, prompt: "Sure?" };
  const second = await collect(runTurn({ ...next, model: await modelAt(openai, "openai") }));
  expect(second.finished.reason).toBe("done");
  expect(openai.requests[0]?.results).toMatchObject([{ id: "call_1", text: "cat" }]);
});

it.each([
  ["anthropic", "x-api-key", "anthropic-key"],
  ["openai", "authorization", "Bearer openai-key"],
  ["openai-chat", "authorization", "Bearer openai-key"],
  ["compatible", "authorization", undefined],
])("sends the key of %s in the header %s", async (provider, header, key) => {
  const server = await scriptedServer({ parts: [{ text: "Hi" }] });
  await collect(runTurn({ model: await modelAt(server, provider), tools, prompt: "Hi" }));
  expect(server.requests[0]?.headers[header]).toBe(key);
  expect(server.requests[0]?.model).toBe("scripted");
});

it("sends PLUGBOARD_MODEL_KEY only to a URL that the user has set", async () => {
  const env = {
    PLUGBOARD_MODEL: "compatible/x",
    PLUGBOARD_MODEL_URL: "http://127.0.0.1:1/v1",
    PLUGBOARD_MODEL_KEY: "k",
  };
  const keyFor = async (sources: Partial<OpenModelOptions>) => {
    let key: string | null | undefined;
    const fetch = async (_url: unknown, init?: RequestInit) => {
      key = new Headers(init?.headers).get("authorization");
      return new Response("{}", { status: 400 });
    };
    await collect(runTurn({ model: await openModel({ env, fetch, ...sources }), tools, prompt: "Hi" }));
    return key;
  };
  expect(await keyFor({})).toBe("Bearer k");
  for (const model of ["ollama/x", "lmstudio/x", "vllm/x"]) expect(await keyFor({ option: { model } })).toBeNull();
  expect(await keyFor({ env: { ...env, PLUGBOARD_MODEL: "ollama/x" } })).toBe("Bearer k");
});

it("removes the key from an error of the provider", async () => {
  const server = await scriptedServer({ status: 400, message: "invalid key anthropic-key given" });
  const { finished } = await collect(runTurn({ model: await modelAt(server), tools, prompt: "Hi" }));
  expect(finished.error?.message).toContain("invalid key *** given");
  expect(JSON.stringify(finished)).not.toContain("anthropic-key");
});

it("takes a key that is not in the environment from the secret store", async () => {
  const server = await scriptedServer({ parts: [{ text: "Hi" }] });
  const option = { model: "anthropic/scripted", baseUrl: server.url };
  const secret = async (name: string) => (name === "ANTHROPIC_API_KEY" ? "stored-key" : undefined);
  const model = await openModel({ option, env: {}, secret });
  await collect(runTurn({ model, tools, prompt: "Hi" }));
  expect(server.requests[0]?.headers["x-api-key"]).toBe("stored-key");
});
