/** Tests `plugboard chat` on a pseudo-terminal, with a running host whose model is a script. */
import { startDaemon } from "@plugboard/daemon";
import type { ChatInput } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished } from "vitest";
import { puppetServer, runInTerminal, setUp } from "../helpers/run-plugboard.ts";
import { scriptedChats } from "../helpers/scripted-chats.ts";
import type { Script } from "../helpers/scripted-chats.ts";

const ENTER = "\r";
const ESCAPE = "\u001b";
const CTRL_C = "\u0003";
const RESTORED = "\u001b[?2004l";

const server = puppetServer({ mirror: true, tools: [{ name: "write", inputSchema: { type: "object" } }] });

/** Starts a host and the chat, and waits for the chat. */
async function openChat(script: Script, config: object = { mcpServers: { files: server } }, ...args: string[]) {
  const inputs: ChatInput[] = [];
  const setup = await setUp(config);
  const daemon = await startDaemon({ env: setup.env, chats: scriptedChats(script, inputs) });
  onTestFinished(() => daemon.stop());
  const terminal = runInTerminal(setup, "chat", ...args);
  await terminal.waitFor("scripted/model");
  return { terminal, inputs, setup };
}

/** Answers with the text of the message. */
const echo: Script = async ({ input, say }) => say(`You said: **${input.text}**`);

const callTool: Script = async ({ input, say, call }) =>
  say(`The tool said ${await call("files:write", { path: input.text })}`);

/** Runs until it is cancelled. */
const untilCancelled: Script = ({ say, signal }) => {
  say("Counting");
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
};

describe("plugboard chat", () => {
  it("sends a message and shows the answer as markdown, the tokens and the cost", async () => {
    const { terminal, inputs } = await openChat(echo);
    terminal.type(`hello${ENTER}`);
    await terminal.waitFor("You said: \u001b[1mhello");
    await terminal.waitFor("220 tokens · $0.02");
    expect(inputs).toEqual([{ text: "hello" }]);
  });

  it("shows the tool and its arguments, and calls it when the user allows it", async () => {
    const { terminal } = await openChat(callTool);
    terminal.type(`a.md${ENTER}`);
    await terminal.waitFor("files:write needs your permission");
    await terminal.waitFor('"path": "a.md"');
    await terminal.waitFor("Allow files:write?");
    terminal.type("y");
    await terminal.waitFor('The tool said {"path":"a.md"}');
    expect(terminal.screen()).toMatch(/files:write path=a\.md/);
  });

  it("tells the model the reason of a denial", async () => {
    const { terminal } = await openChat(callTool);
    terminal.type(`a.md${ENTER}`);
    await terminal.waitFor("Allow files:write?");
    terminal.type("r");
    await terminal.waitFor("reason ›");
    terminal.type(`not that file${ENTER}`);
    await terminal.waitFor(/The tool said .*not that file/s);
    expect(terminal.screen()).toContain("denied");
  });

  it("asks no more for calls that match a rule which the user has added", async () => {
    const { terminal } = await openChat(callTool);
    terminal.type(`/docs/a.md is it${ENTER}`);
    await terminal.waitFor("Allow files:write?");
    terminal.type("p");
    await terminal.waitFor("rule ›");
    terminal.type("\u0015files:write(path=/docs/*)\r");
    await terminal.waitFor("Added the rule files:write(path=/docs/*)");
    await terminal.waitFor("The tool said");
    await terminal.waitFor("tokens");
    terminal.type(`/docs/b.md is it${ENTER}`);
    const shown = await terminal.waitFor('The tool said {"path":"/docs/b.md is it"}');
    expect(shown).not.toContain("needs your permission");
  });

  it("shows /mcp while a turn runs, and Esc cancels the turn", { meta: { covers: ["R2.20"] } }, async () => {
    const { terminal } = await openChat(untilCancelled);
    terminal.type(`count${ENTER}`);
    await terminal.waitFor("Counting");
    terminal.type(`/mcp${ENTER}`);
    await terminal.waitFor(/SERVER +TRANSPORT +SOURCE +ENABLED +STATE +TOOLS/);
    await terminal.waitFor(/files +stdio +user/);
    terminal.type(ESCAPE);
    await terminal.waitFor("Cancelled.");
  });

  it("says that no servers are configured", async () => {
    const { terminal } = await openChat(echo, {});
    terminal.type(`/mcp${ENTER}`);
    await terminal.waitFor("no MCP servers configured");
  });

  it("sends messages that were typed during a turn afterwards, and gives them back on Esc", async () => {
    const { terminal, inputs } = await openChat(untilCancelled);
    terminal.type(`one${ENTER}`);
    await terminal.waitFor("Counting");
    terminal.type(`two${ENTER}`);
    await terminal.waitFor("next: two");
    terminal.type(ESCAPE);
    await terminal.waitFor("Cancelled.");
    await terminal.waitFor("› \u001b[39mtwo");
    terminal.type(ENTER);
    await terminal.waitFor("Counting");
    expect(inputs.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  it("denies the call and restores the terminal on Ctrl-C", { meta: { covers: ["F41"] } }, async () => {
    const { terminal } = await openChat(callTool);
    terminal.type(`a.md${ENTER}`);
    await terminal.waitFor("Allow files:write?");
    terminal.type(CTRL_C);
    await terminal.waitFor(/The tool said .*denied/s);
    terminal.type(CTRL_C);
    await expect(terminal.exited).resolves.toMatchObject({ exitCode: 0 });
    expect(terminal.screen().slice(terminal.screen().lastIndexOf(RESTORED))).toContain("\u001b[?25h");
  });

  it("denies the open question when the terminal is closed", { meta: { covers: ["F41"] } }, async () => {
    const results: string[] = [];
    const { terminal } = await openChat(async ({ call }) => void results.push(await call("files:write", {})));
    terminal.type(`go${ENTER}`);
    await terminal.waitFor("Allow files:write?");
    process.kill(terminal.pid, "SIGTERM");
    await terminal.exited;
    await expect.poll(() => results).toHaveLength(1);
    expect(results[0]).toMatch(/denied/);
    expect(terminal.screen()).toContain(RESTORED);
  });

  it("sends a paste of 10 000 characters as one message", async () => {
    const { terminal, inputs } = await openChat(async ({ say }) => say("Got it."));
    const pasted = `${"word ".repeat(1000)}\n${"line ".repeat(1000)}`.slice(0, 10_000);
    terminal.type(`${ESCAPE}[200~${pasted.replaceAll("\n", "\r")}${ESCAPE}[201~`);
    await terminal.waitFor("10000 characters in all");
    terminal.type(ENTER);
    await terminal.waitFor("Got it.");
    expect(inputs).toEqual([{ text: pasted }]);
  });

  it("draws again in the new width after a resize", async () => {
    const { terminal } = await openChat(echo);
    terminal.type("some words");
    await terminal.waitFor("some words");
    terminal.resize(60, 20);
    await terminal.waitFor("some words");
    terminal.type(` and more${ENTER}`);
    await terminal.waitFor("You said");
  });

  it("makes escape sequences of the model and of servers visible", { meta: { covers: ["A7"] } }, async () => {
    const { terminal } = await openChat(async ({ say, call }) => {
      await call("files:write", { path: "\u001b]52;c;evil\u0007" });
      say("clear \u001b[2J\u202e done");
    });
    terminal.type(`go${ENTER}`);
    await terminal.waitFor("Allow files:write?");
    terminal.type("y");
    await terminal.waitFor("clear <U+001B>[2J<U+202E> done");
    expect(terminal.screen()).not.toContain("\u001b]52");
    expect(terminal.screen()).not.toContain("\u202e");
  });

  it("asks the form of a server", async () => {
    const asks = [
      {
        mode: "form",
        message: "Which city?",
        requestedSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    ];
    const script: Script = async ({ say, call }) => say(await call("asker:go"));
    const config = { mcpServers: { asker: puppetServer({ asks }) }, mcp: {} };
    const { terminal } = await openChat(script, config);
    terminal.type(`go${ENTER}`);
    await terminal.waitFor("Allow asker:go?");
    terminal.type("y");
    await terminal.waitFor("Which city?");
    await terminal.waitFor("asks for city");
    terminal.type(`Bern${ENTER}`);
    await terminal.waitFor('"city":"Bern"');
  });

  it("keeps several chats open, and shows another one with /chats", async () => {
    const { terminal } = await openChat(echo);
    terminal.type(`first${ENTER}`);
    await terminal.waitFor("220 tokens");
    terminal.type(`/new${ENTER}`);
    await terminal.waitFor("New chat");
    terminal.type(`second${ENTER}`);
    await terminal.waitFor("You said: \u001b[1msecond");
    terminal.type(`/chats 2${ENTER}`);
    await terminal.waitFor("You said: \u001b[1mfirst");
  });

  it("shows the earlier messages with --continue", async () => {
    const { terminal, setup } = await openChat(echo);
    terminal.type(`remember me${ENTER}`);
    await terminal.waitFor("220 tokens");
    terminal.type(`/quit${ENTER}`);
    await terminal.exited;
    const again = runInTerminal(setup, "chat", "--continue");
    await again.waitFor("You said: \u001b[1mremember me");
  });

  it("completes commands and servers with Tab", async () => {
    const { terminal } = await openChat(echo);
    terminal.type("/mc\t");
    await terminal.waitFor("› \u001b[39m/mcp");
    await terminal.waitFor("files");
    terminal.type(`fi\t${ENTER}`);
    await terminal.waitFor("transport:");
  });

  it("sends a prompt of a server with its arguments", { meta: { covers: ["R2.146"] } }, async () => {
    const prompts = [{ name: "review", arguments: [{ name: "repo", required: true }] }];
    const config = { mcpServers: { git: puppetServer({ prompts }) } };
    const { terminal, inputs } = await openChat(async ({ say }) => say("Reviewed."), config);
    terminal.type(`/mcp reconnect git${ENTER}`);
    await terminal.waitFor(/git +stdio.*ready/);
    terminal.type(`/git:review${ENTER}`);
    await terminal.waitFor("The prompt needs more: /git:review repo=…");
    expect(inputs).toEqual([]);
    terminal.type("/git:r");
    await terminal.waitFor("❯ /git:review");
    terminal.type("\t");
    await terminal.waitFor("repo");
    terminal.type(`repo=acme${ENTER}`);
    await terminal.waitFor("Reviewed.");
    expect(inputs).toEqual([{ text: "", prompt: { server: "git", name: "review", arguments: { repo: "acme" } } }]);
  });

  it("attaches a resource, with completion", async () => {
    const uri = "file:///guide.md";
    const config = { mcpServers: { docs: puppetServer({ resources: [{ uri, name: "Guide" }] }) } };
    const { terminal, inputs } = await openChat(echo, config);
    terminal.type(`/resources docs${ENTER}`);
    await terminal.waitFor(/@docs:file:\/\/\/guide\.md +Guide/);
    terminal.type("look at @do");
    await terminal.waitFor("❯ docs");
    terminal.type("\t");
    await terminal.waitFor(`❯ docs:${uri}`);
    terminal.type("\t\r");
    await terminal.waitFor("You said");
    expect(inputs).toMatchObject([{ resources: [{ server: "docs", uri }] }]);
  });

  it("shows the URL that a server wants the user to visit, with its host", async () => {
    const url = "https://good.example@evil.example/pay";
    const asks = [{ mode: "url", message: "Please pay", url, elicitationId: "e1" }];
    const script: Script = async ({ say, call }) => say(await call("asker:go"));
    const { terminal } = await openChat(script, { mcpServers: { asker: puppetServer({ asks }) } });
    terminal.type(`go${ENTER}`);
    await terminal.waitFor("Allow asker:go?");
    terminal.type("y");
    await terminal.waitFor("wants you to visit evil.example");
    terminal.type(`n${ENTER}`);
    await terminal.waitFor('"action":"decline"');
  });

  it("uses no colours if NO_COLOR is set", async () => {
    const setup = await setUp({});
    const daemon = await startDaemon({ env: setup.env, chats: scriptedChats(echo) });
    onTestFinished(() => daemon.stop());
    const terminal = runInTerminal({ ...setup, env: { ...setup.env, NO_COLOR: "1" } }, "chat");
    await terminal.waitFor("scripted/model");
    terminal.type(`hello${ENTER}`);
    await terminal.waitFor("You said: hello");
    expect(terminal.screen()).not.toMatch(/\u001b\[\d+m/);
  });

  it("says what to use without a terminal", async () => {
    const { runPiped } = await import("../helpers/run-plugboard.ts");
    expect(await runPiped(await setUp(), "chat")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("A chat needs a terminal"),
    });
  });
});
