/** Prompts over all servers of a workspace, and filling in one of them. */
import type { Question } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ann, bob, resourcePromptTestServer, connectServers, sharedModernServer } from "../helpers/connect-servers.ts";

const modern = sharedModernServer();

const says = (text: string) => ({ messages: [{ role: "user", content: { type: "text", text } }] });

it("are listed with the servers that have them; one that has none is no error", async () => {
  const { prompts } = connectServers({
    a: resourcePromptTestServer({ prompts: { greet: () => says("hi") } }),
    none: resourcePromptTestServer({}),
  });
  expect(await prompts.list()).toEqual({ prompts: [{ server: "a", name: "greet" }], errors: {} });
});

describe("filling one in", () => {
  it("gives its messages and what describes them", async () => {
    const greet = ({ who = "" }) => ({ description: "Greets", ...says(`Hello ${who}`), _meta: { mood: "good" } });
    const { prompts } = connectServers({ a: resourcePromptTestServer({ prompts: { greet } }) });
    expect(await prompts.get("a", "greet", { who: "Ann" }, { caller: ann })).toEqual({
      description: "Greets",
      messages: [{ role: "user", content: { type: "text", text: "Hello Ann" } }],
      _meta: { mood: "good" },
    });
  });

  it.each([
    ["a prompt that there is not", "none", {}],
    ["a missing argument", "review", {}],
  ])("fails with the server's own words for %s", async (_, name, args) => {
    const { prompts } = connectServers({ a: modern() });
    await expect(prompts.get("a", name, args, { caller: ann })).rejects.toMatchObject({
      code: "REQUEST_FAILED",
      details: { server: "a", method: "prompts/get", code: -32602 },
    });
  });

  it.each<[string, string, unknown]>([
    ["no name", "", {}],
    ["an argument that is no text", "greet", { who: 7 }],
    ["arguments that are no object", "greet", ["Ann"]],
  ])("refuses %s before the server is asked", async (_, name, args) => {
    const a = resourcePromptTestServer({ prompts: { greet: () => says("hi") } });
    const { prompts } = connectServers({ a });
    const got = prompts.get("a", name, args as { [name: string]: string }, { caller: ann });
    await expect(got).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(a.asked).toEqual([]);
  });

  it.each([
    ["no messages", {}],
    ["a message of nobody's", { messages: [{ content: { type: "text", text: "x" } }] }],
    ["a message without content", { messages: [{ role: "user" }] }],
  ])("refuses %s", async (_, result) => {
    const { prompts } = connectServers({ a: resourcePromptTestServer({ prompts: { greet: () => result } }) });
    await expect(prompts.get("a", "greet", {}, { caller: ann })).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      details: { server: "a" },
    });
  });

  it("puts what the server asks first to whoever fills it in", async () => {
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
