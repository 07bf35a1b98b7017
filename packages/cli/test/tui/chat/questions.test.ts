/** Tests the questions of servers in `plugboard chat`: forms, URLs and logins. */
import { describe, expect, it } from "vitest";
import { call, FILES, KEYS, openChat, say, sayResult } from "../../helpers/chat-in-terminal.ts";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { setUpProtected } from "../../helpers/protected-setup.ts";
import { setUpProject } from "../../helpers/project-setup.ts";
import { puppetServer } from "../../helpers/run-plugboard.ts";

const { enter, escape } = KEYS;

function openAsking(...asks: object[]) {
  return openChat({
    config: { mcpServers: { asker: puppetServer({ asks }) }, permissions: { allow: ["asker:*"] } },
    answers: [{ parts: [call("mcp__asker__go")] }, sayResult],
  });
}

const FORM = {
  mode: "form",
  message: "Where to?",
  requestedSchema: {
    type: "object",
    properties: { city: { type: "string" }, seats: { type: "integer", minimum: 1 } },
    required: ["city"],
  },
};

describe("a question of a server in the chat", () => {
  it("asks for each field of a form, and again for an invalid value", async () => {
    const { terminal } = await openAsking(FORM);
    terminal.type(`go${enter}`);
    await terminal.waitFor("asker:go asks:");
    await terminal.waitForView("│ Where to?");
    await terminal.waitForView("waiting for your answer (Esc skips the question)");
    await terminal.waitForView("asks for city");
    terminal.type(`Bern${enter}`);
    await terminal.waitForView("asks for seats");
    terminal.type(`many${enter}`);
    await terminal.waitForView("seats must be a number");
    terminal.type(`2${enter}`);
    await terminal.waitForView(/The tool said [^]*"city":"Bern","seats":2/);
  });

  it.each([
    ["declines the form for :decline", `:decline${enter}`, '"action":"decline"'],
    ["cancels the form for Esc", escape, '"action":"cancel"'],
  ])("%s", async (_, keys, answer) => {
    const { terminal } = await openAsking(FORM);
    terminal.type(`go${enter}`);
    await terminal.waitForView("asks for city");
    terminal.type(keys);
    await terminal.waitForView(/The tool said/);
    await terminal.waitForView(new RegExp(answer));
  });

  it("shows the host of a URL that the user should visit", async () => {
    const url = "https://good.example@evil.example/pay";
    const { terminal } = await openAsking({ mode: "url", message: "Please pay", url, elicitationId: "e1" });
    terminal.type(`go${enter}`);
    await terminal.waitFor("wants you to visit evil.example");
    terminal.type(`y${enter}`);
    await terminal.waitForView('"action":"accept"');
  });
});

it("a server in the chat may use its model, if the user agrees", async () => {
  const { terminal, model } = await openChat({
    config: { mcpServers: { tested: { ...scriptedLegacy(), sampling: true } }, permissions: { allow: ["tested:*"] } },
    answers: [{ parts: [call("mcp__tested__ask_sampling")] }, say("Something."), sayResult],
  });
  terminal.type(`go${enter}`);
  await terminal.waitForView(/tested:ask_sampling asks to use the model for this request/);
  await terminal.waitForView("Let tested:ask_sampling use the model for this?");
  expect(model.requests).toHaveLength(1);
  terminal.type(`y${enter}`);
  await terminal.waitForView("The tool said");
  expect(model.requests.at(-1)!.results.at(-1)!.text).toContain("Something.");
});

describe("a server of the project in the chat", () => {
  it("is announced, and used when the user has approved its definition", { meta: { covers: ["A1"] } }, async () => {
    const setup = await setUpProject({ team: FILES });
    const { terminal, model } = await openChat({ setup, answers: [say("Before."), say("After.")] });
    await terminal.waitForView("team is defined by this project, and you have not approved it.");
    terminal.type(`hello${enter}`);
    await terminal.waitFor("Before.");
    expect(model.requests[0]!.toolNames).not.toContain("mcp__team__write");
    terminal.type(`/mcp enable team${enter}`);
    await terminal.waitForView(/Use the server team\?/);
    expect(terminal.output()).toContain("puppet-server.mjs");
    terminal.type(`y${enter}`);
    await terminal.waitForView(/^team +stdio +project +yes +ready/m);
    terminal.type(`hello${enter}`);
    await terminal.waitFor("After.");
    expect(model.requests[1]!.toolNames).toContain("mcp__team__write");
  });
});

describe("a login in the chat", () => {
  it("is offered when a server needs it, and the model gets the tools afterwards", async () => {
    const setup = await setUpProtected("logs in");
    const { terminal, model } = await openChat({
      setup,
      answers: [say("Ready.")],
    });
    await terminal.waitForView("notes needs a login. Use /mcp login notes.");
    terminal.type(`/mcp${enter}`);
    await terminal.waitForView(/^notes +http +user +yes +auth_required/m);
    terminal.type(`/mcp login notes${enter}`);
    await terminal.waitForView(/^notes +http +user +yes +ready +3/m);
    expect(await setup.openedUrls()).toHaveLength(1);
    terminal.type(`hello${enter}`);
    await terminal.waitFor("Ready.");
    expect(model.requests[0]!.toolNames.some((name) => name.startsWith("mcp__notes__"))).toBe(true);
  });
});
