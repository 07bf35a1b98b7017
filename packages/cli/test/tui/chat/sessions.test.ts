/** Tests which chat `plugboard chat` shows, and with which servers, tools and model. */
import { describe, expect, it } from "vitest";
import { call, echo, FILES, KEYS, openChat, runChat, say } from "../../helpers/chat-in-terminal.ts";
import { puppetServer, setUp } from "../../helpers/run-plugboard.ts";
import { stopAfterTest } from "../../helpers/hosting.ts";

const { enter } = KEYS;

describe("plugboard chat", () => {
  it("keeps several chats open, and shows another one with /chats", async () => {
    const { terminal } = await openChat({ answers: [echo, echo, echo] });
    terminal.type(`first${enter}`);
    await terminal.waitForView("You said: first");
    terminal.type(`/new${enter}`);
    await terminal.waitFor("New chat");
    terminal.type(`second${enter}`);
    await terminal.waitForView("You said: second");
    terminal.type(`/rename The second${enter}`);
    await terminal.waitFor("This chat is now called The second.");
    terminal.type(`/chats${enter}`);
    await terminal.waitForView(/^1 \* +The second +idle[^]*^2 +first +idle/m);
    terminal.type(`/chats 2${enter}`);
    await terminal.waitForView(/── first ──\n\n› first\n\nYou said: first/);
    terminal.type(`/chats 9${enter}`);
    await terminal.waitFor("There is no such chat.");
  });

  it("shows the question of a chat that is not on the screen, with its title", async () => {
    const answers = [{ parts: [call("mcp__files__write")] }, say("Done.")];
    const { terminal } = await openChat({ answers });
    terminal.type(`write it${enter}/new${enter}`);
    await terminal.waitFor("A question of the chat write it:");
    await terminal.waitForView("Allow files:write?");
    terminal.type("y");
    await terminal.waitForView((rows) => !rows.includes("Allow"));
    terminal.type(`/chats${enter}`);
    const [, number] = /^(\d) +write it/m.exec(await terminal.waitForView(/^\d +write it/m))!;
    terminal.type(`/chats ${number}${enter}`);
    await terminal.waitFor("Done.");
  });

  it("continues the latest chat of the folder with --continue, also with its calls", async () => {
    const answers = [{ parts: [call("mcp__files__write", { path: "a.md" })] }, say("I know."), echo];
    const { terminal, model, open } = await openChat({ answers });
    terminal.type(`remember me${enter}`);
    await terminal.waitFor("Allow files:write?");
    terminal.type("n");
    await terminal.waitFor("I know.");
    terminal.type(`/quit${enter}`);
    await expect(terminal.exited).resolves.toMatchObject({ exitCode: 0 });
    const again = open({ args: ["--continue"] });
    await again.waitForView(/› remember me\n\n⊘ files:write path=a\.md {2}denied[^]*I know\./);
    again.type(`more${enter}`);
    await again.waitForView("You said: more");
    expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("remember me");
  });

  it("says at the end how to resume it, and opens that chat with --resume", async () => {
    const { terminal, open } = await openChat({ answers: [echo, echo] });
    terminal.type(`first${enter}`);
    await terminal.waitForView("You said: first");
    terminal.type(`/quit${enter}`);
    const resume = /To resume this chat: plugboard chat --resume ([0-9a-f-]{36})/;
    const [, id] = resume.exec(await terminal.waitFor(resume))!;
    await terminal.exited;
    const second = open();
    await second.waitForView(/^compatible/m);
    second.type(`second${enter}`);
    await second.waitForView("You said: second");
    second.type(`/chats${enter}`);
    await second.waitForView(/first +closed/);
    const again = open({ args: ["--resume", id!] });
    await again.waitForView("You said: first");
  });

  it("says that there is no chat with the id of --resume", async () => {
    const { open } = await openChat();
    const missing = open({ args: ["--resume", "00000000-0000-0000-0000-000000000000"] });
    await expect(missing.exited).resolves.toMatchObject({ exitCode: 2 });
    expect(missing.output()).toContain("chat with this id");
  });

  it("begins a new chat with --continue if there is none", async () => {
    const { terminal } = await openChat({ args: ["--continue"], answers: [echo] });
    terminal.type(`hello${enter}`);
    await terminal.waitForView("You said: hello");
  });

  it("shows the same chat in two terminals", async () => {
    const { terminal, open } = await openChat({
      answers: [echo, { parts: [call("mcp__files__write")] }, say("Both.")],
    });
    terminal.type(`hello${enter}`);
    await terminal.waitForView("You said: hello");
    const other = open({ args: ["--continue"] });
    await other.waitForView("You said: hello");
    other.type(`write${enter}`);
    await terminal.waitForView("Allow files:write?");
    await other.waitForView("Allow files:write?");
    terminal.type("y");
    await other.waitForView("Both.");
    await other.waitForView((rows) => !rows.includes("Allow"));
    await terminal.waitForView("Both.");
  });

  it("gives the model only the tools of the profile with --profile", async () => {
    const profiles = { reader: { tools: { include: ["files:write"] } } };
    const config = { mcpServers: { files: FILES, other: puppetServer({}) }, profiles };
    const { terminal, model } = await openChat({ config, args: ["--profile", "reader"], answers: [echo] });
    terminal.type(`hello${enter}`);
    await terminal.waitForView("You said: hello");
    expect(model.requests[0]!.toolNames.filter((name) => name.startsWith("mcp__"))).toEqual(["mcp__files__write"]);
  });

  it("adds a server for this chat with --mcp-server", async () => {
    const server = puppetServer({ tools: [{ name: "extra", inputSchema: { type: "object" } }] });
    const line = [server.command, ...server.args].map((word) => `'${word}'`).join(" ");
    const { terminal, model, open } = await openChat({
      config: {},
      args: ["--mcp-server", `mine=${line}`],
      answers: [echo, echo],
    });
    terminal.type(`hello${enter}`);
    await terminal.waitForView("You said: hello");
    expect(model.requests[0]!.toolNames).toContain("mcp__mine__extra");
    const other = open({ args: [] });
    // Typed before the chat is open.
    other.type(`hello${enter}`);
    await other.waitForView("You said: hello");
    expect(model.requests[1]!.toolNames).not.toContain("mcp__mine__extra");
  });

  it("starts a host if none is running", async () => {
    const setup = await setUp({});
    stopAfterTest(setup);
    const terminal = runChat(setup);
    await terminal.waitForView("no model");
    terminal.type(`/mcp${enter}`);
    await terminal.waitFor("no MCP servers configured");
  });

  it("uses one process of a server for all chats", async () => {
    const { terminal, open } = await openChat({ answers: [] });
    const others = [open(), open()];
    for (const one of [terminal, ...others]) await one.waitForView("· 1 server");
    terminal.type(`/mcp${enter}`);
    const pid = /ready .* (\d+)$/m.exec(await terminal.waitForView(/^files .*ready/m))?.[1];
    for (const one of others) {
      one.type(`/mcp${enter}`);
      await one.waitForView(new RegExp(`^files .*ready.* ${pid}$`, "m"));
    }
  });
});
