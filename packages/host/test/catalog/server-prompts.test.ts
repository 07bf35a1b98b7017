/** Tests listing prompts across servers, and getting one of them. */
import type { Question } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ann, bob, resourcePromptTestServer, connectServers, sharedModernServer } from "../helpers/connect-servers.ts";

const modern = sharedModernServer();

/** Returns a result with one message. */
const says = (text: string) => ({ messages: [{ role: "user", content: { type: "text", text } }] });

it("ServerPrompts.list names the server of each prompt, and reports no error for a server without prompts", async () => {
  const { prompts } = connectServers({
    a: resourcePromptTestServer({ prompts: { greet: () => says("hi") } }),
    empty: resourcePromptTestServer({}),
  });
  expect(await prompts.list()).toEqual({ prompts: [{ server: "a", name: "greet" }], errors: {} });
});

describe("ServerPrompts.get", () => {
  it("returns the messages and the description of a prompt", async () => {
    const greet = ({ who = "" }) => ({ description: "Greets", ...says(`Hello ${who}`), _meta: { mood: "good" } });
    const { prompts } = connectServers({ a: resourcePromptTestServer({ prompts: { greet } }) });
    expect(await prompts.get("a", "greet", { who: "Ann" }, { caller: ann })).toEqual({
      description: "Greets",
      messages: [{ role: "user", content: { type: "text", text: "Hello Ann" } }],
      _meta: { mood: "good" },
    });
  });

  it.each([
    ["an unknown prompt", "none", {}],
    ["a missing argument", "review", {}],
  ])("passes on the server's error for %s", async (_, name, args) => {
    const { prompts } = connectServers({ a: modern() });
    await expect(prompts.get("a", name, args, { caller: ann })).rejects.toMatchObject({
      code: "REQUEST_FAILED",
      details: { server: "a", method: "prompts/get", code: -32602 },
    });
  });

  it.each<[string, string, unknown]>([
    ["an empty name", "", {}],
    ["an argument that is not a string", "greet", { who: 7 }],
    ["arguments that are not an object", "greet", ["Ann"]],
  ])("rejects %s without a request to the server", async (_, name, args) => {
    const a = resourcePromptTestServer({ prompts: { greet: () => says("hi") } });
    const { prompts } = connectServers({ a });
    const got = prompts.get("a", name, args as { [name: string]: string }, { caller: ann });
    await expect(got).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(a.receivedMethods).toEqual([]);
  });

  it.each([
    ["a result without messages", {}],
    ["a message without a role", { messages: [{ content: { type: "text", text: "x" } }] }],
    ["a message without content", { messages: [{ role: "user" }] }],
  ])("rejects %s", async (_, result) => {
    const { prompts } = connectServers({ a: resourcePromptTestServer({ prompts: { greet: () => result } }) });
    await expect(prompts.get("a", "greet", {}, { caller: ann })).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      details: { server: "a" },
    });
  });

  it("asks the caller if the server has a question before it returns the prompt", async () => {
    const asked: Question[] = [];
    const { prompts } = connectServers(
      { a: modern() },
      {
        answer: (question) => {
          asked.push(question);
          return { type: "elicitation", action: "accept", content: { name: "Eve" } };
        },
      },
    );
    const { messages } = await prompts.get("a", "ask_who", {}, { caller: bob });
    expect(messages).toMatchObject([{ content: { text: "You are talking to Eve." } }]);
    expect(asked).toMatchObject([{ owner: bob, server: "a" }]);
  });
});
