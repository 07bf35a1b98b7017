/** Tests the slash commands of `plugboard chat` on a terminal. */
import { skillsStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { call, countForever, echo, FILES, KEYS, openChat, say, userText } from "../../helpers/chat-in-terminal.ts";
import { puppetServer } from "../../helpers/run-plugboard.ts";

const { enter, tab } = KEYS;

/** Whether the answer is shown and its turn is over. A turn goes on for a moment after its answer. */
const ended = (answer: string) => (rows: string) => rows.includes(answer) && !rows.includes("working …");

describe("/mcp", () => {
  it("shows the servers with their state", { meta: { covers: ["R2.20"] } }, async () => {
    const { terminal, serverIs } = await openChat({
      config: {
        mcpServers: { files: FILES, off: { ...FILES, enabled: false }, broken: { command: "no-such-command" } },
      },
    });
    await serverIs("broken", "error");
    await terminal.waitForView("1/2 servers (/mcp)");
    terminal.type(`/mcp${enter}`);
    await terminal.waitForView(/^SERVER +TRANSPORT +SOURCE +ENABLED +STATE +TOOLS/m);
    await terminal.waitForView(/^files +stdio +user +yes +ready +1/m);
    await terminal.waitForView(/^off +stdio +user +no +disabled/m);
    await terminal.waitForView(/^broken +stdio +user +yes +error/m);
  });

  it("says that no servers are configured", async () => {
    const { terminal } = await openChat({ config: {} });
    terminal.type(`/mcp${enter}`);
    await terminal.waitFor("no MCP servers configured");
  });

  it("shows the details of one server, with its last error", async () => {
    const { terminal, serverIs } = await openChat({
      config: { mcpServers: { broken: { command: "no-such-command" } } },
    });
    await serverIs("broken", "error");
    await terminal.waitForView("0/1 servers");
    terminal.type(`/mcp broken${enter}`);
    await terminal.waitForView(/last error:.*no-such-command/i);
    terminal.type(`/mcp unknown${enter}`);
    await terminal.waitFor('There is no server "unknown"');
  });

  it("shows when the server was connected", async () => {
    const { terminal } = await openChat();
    await terminal.waitForView("1 server");
    terminal.type(`/mcp files${enter}`);
    await terminal.waitForView(/connected: /);
  });

  it("disables, enables and reconnects a server", async () => {
    const { terminal } = await openChat({ args: ["--no-native-tools"] });
    terminal.type(`/mcp disable files${enter}`);
    await terminal.waitForView(/^files +stdio +user +no/m);
    await terminal.waitForView("no servers");
    terminal.type(`/tools${enter}`);
    await terminal.waitForView("No tools.");
    terminal.type(`/mcp enable files${enter}`);
    await terminal.waitForView(/^files +stdio +user +yes/m);
    await terminal.waitForView("· 1 server");
    terminal.type(`/mcp reconnect files${enter}`);
    await terminal.waitForView(/^files +stdio +user +yes +ready +1/m);
    terminal.type(`/mcp reconnect${enter}`);
    await terminal.waitFor("Write the server after reconnect");
  });
});

describe("the commands for what servers offer", () => {
  it("/tools lists all tools, or the tools of one server", async () => {
    const config = { mcpServers: { files: FILES, other: puppetServer({}) } };
    const { terminal } = await openChat({ config });
    for (const id of ["files", "other"]) {
      terminal.type(`/mcp reconnect ${id}${enter}`);
      await terminal.waitForView(new RegExp(`^${id} .*ready`, "m"));
    }
    terminal.type(`/tools${enter}`);
    await terminal.waitForView(/^files:write +Writes a file\.[^]*^other:go/m);
    terminal.type(`/tools files${enter}`);
    await terminal.waitForView((rows) => {
      const [, shown = ""] = rows.split("› /tools files");
      return shown.includes("files:write") && !shown.includes("other:go");
    });
  });

  it("/tools says that a server is unknown, and which servers there are", async () => {
    const { terminal } = await openChat();
    terminal.type(`/tools nope${enter}`);
    await terminal.waitForView('There is no server "nope". Known: files.');
    terminal.type(`/tools native${enter}`);
    await terminal.waitForView(/^native:/m);
  });

  it("/resources lists resources, and @server:uri attaches one with completion", async () => {
    const uri = "file:///guide.md";
    const docs = puppetServer({ resources: [{ uri, name: "Guide", text: "Read me first." }] });
    const { terminal, model } = await openChat({ config: { mcpServers: { docs } }, answers: [say("Attached.")] });
    terminal.type(`/resources docs${enter}`);
    await terminal.waitForView(/^@docs:file:\/\/\/guide\.md +Guide/m);
    terminal.type("look at @do");
    await terminal.waitFor("❯ docs");
    terminal.type(tab);
    await terminal.waitFor(`❯ docs:${uri}`);
    terminal.type(`${tab}please${enter}`);
    await terminal.waitFor("Attached.");
    await terminal.waitForView(`› look at @docs:${uri} please`);
    const sent = userText(model.requests[0]!);
    expect(sent).toContain('<untrusted source="docs">\nRead me first.\n</untrusted>');
    expect(sent).toContain(`look at @docs:${uri} please`);
  });

  it("/skills lists skills and the errors of servers, and puts a skill into the message", async () => {
    const uri = "skill://acme/billing/refunds/SKILL.md";
    const config = { mcpServers: { team: skillsStdio("legacy"), bad: { command: "no-such-command" } } };
    const { terminal, model } = await openChat({ config, answers: [say("Loaded.")] });
    terminal.type(`/skills${enter}`);
    await terminal.waitForView(/^team:skill:\/\/acme.*SKILL\.md +Process refunds[^]*^bad: .*no-such-command/m);
    terminal.type(`/skills ${uri}${enter}`);
    await terminal.waitForView(`› @team:${uri}`);
    terminal.type(`review it${enter}`);
    await terminal.waitFor("Loaded.");
    expect(userText(model.requests[0]!)).toContain("# Refunds");
    terminal.type(`/skills skill://hostile/other/SKILL.md${enter}`);
    await terminal.waitFor("The frontmatter of the file differs");
    terminal.type(`/skills nothing${enter}`);
    await terminal.waitFor("There is no such skill");
  });

  it(
    "/server:prompt sends a prompt, with completion of its arguments and their values",
    { meta: { covers: ["R2.146"] } },
    async () => {
      const prompts = [{ name: "review", arguments: [{ name: "repo", required: true }] }];
      const git = puppetServer({ prompts, completions: { repo: ["acme", "apex", "zoo"] } });
      const { terminal, model } = await openChat({ config: { mcpServers: { git } }, answers: [say("Reviewed.")] });
      await terminal.waitForView("1 server");
      terminal.type(`/git:review${enter}`);
      await terminal.waitFor("The prompt needs more: /git:review repo=…");
      expect(model.requests).toEqual([]);
      terminal.type("/git:r");
      await terminal.waitFor("❯ /git:review");
      terminal.type(tab);
      await terminal.waitFor("❯ repo");
      terminal.type(`${tab}a`);
      await terminal.waitFor("❯ acme");
      await terminal.waitForView("  apex");
      terminal.type(`${tab}${enter}`);
      await terminal.waitFor("Reviewed.");
      expect(userText(model.requests[0]!)).toContain('{"repo":"acme"}');
      terminal.type(`/git:nothing${enter}`);
      await terminal.waitFor("git has no prompt nothing");
    },
  );
});

describe("the commands for the chat", () => {
  it("/model shows the model and changes it for the next messages", async () => {
    const { terminal, model } = await openChat({ answers: [echo] });
    terminal.type(`/model${enter}`);
    await terminal.waitForView("› /model\n\ncompatible/scripted");
    terminal.type(`/model compatible/other${enter}`);
    await terminal.waitFor("The next messages go to compatible/other.");
    terminal.type(`hello${enter}`);
    await terminal.waitFor("You said");
    expect(model.requests[0]!.model).toBe("other");
    terminal.type(`/model nonsense${enter}`);
    await terminal.waitFor("a model is set as provider/model");
  });

  it("/cost shows the tokens, and the status line shows their sum", async () => {
    const answer = { parts: [{ text: "Hi." }], usage: { input: 1000, output: 500, cacheRead: 200 } };
    const { terminal } = await openChat({ answers: [answer] });
    terminal.type(`hello${enter}`);
    await terminal.waitForView("1.7k tokens");
    terminal.type(`/cost${enter}`);
    await terminal.waitForView("1.7k tokens: 1.2k in, 500 out\n200 read from the cache");
  });

  it("/clear removes the messages, so that the model does not get them any more", async () => {
    const { terminal, model } = await openChat({ answers: [echo, echo] });
    terminal.type(`first${enter}`);
    await terminal.waitForView(ended("You said: first"));
    terminal.type(`/clear${enter}`);
    await terminal.waitFor("The chat has no messages any more.");
    terminal.type(`second${enter}`);
    await terminal.waitForView("You said: second");
    expect(JSON.stringify(model.requests[1]!.body["messages"])).not.toContain("first");
  });

  it("/compact replaces older messages with a summary", async () => {
    const { terminal, model } = await openChat({ answers: [echo, echo, say("They said two things."), echo] });
    for (const text of ["first", "second"]) {
      terminal.type(`${text}${enter}`);
      await terminal.waitForView(ended(`You said: ${text}`));
    }
    terminal.type(`/compact names${enter}`);
    await terminal.waitFor("older messages were replaced by a summary");
    terminal.type(`third${enter}`);
    await terminal.waitForView("You said: third");
    const messages = JSON.stringify(model.requests.at(-1)!.body["messages"]);
    expect(messages).toContain("They said two things.");
    expect(messages).not.toContain("You said: **first");
  });

  it("/clear and /compact say that the turn must end first", async () => {
    const { terminal } = await openChat({ answers: [countForever] });
    terminal.type(`count${enter}`);
    await terminal.waitFor("Counting");
    terminal.type(`/clear${enter}`);
    await terminal.waitFor("The chat is busy with a turn.");
  });

  it("/help lists every command", async () => {
    const { terminal } = await openChat({ config: {} });
    terminal.type(`/help${enter}`);
    await terminal.waitFor("Press Ctrl-C twice to leave.");
    const text = (await terminal.view.allRows()).join("\n");
    const names = "mcp tools resources skills permissions new chats rename model clear compact cost result help quit";
    for (const name of names.split(" ")) expect(text).toMatch(new RegExp(`^/${name}\\b`, "m"));
  });

  it("say that a command does not exist, and send a line that begins with // as a message", async () => {
    const { terminal, model } = await openChat({ answers: [echo] });
    terminal.type(`/nothing${enter}`);
    await terminal.waitFor("There is no command /nothing. /help lists the commands.");
    terminal.type(`//etc is a folder${enter}`);
    await terminal.waitFor("You said");
    expect(userText(model.requests[0]!)).toBe("/etc is a folder");
  });

  it("completes commands and servers with Tab", async () => {
    const { terminal } = await openChat();
    await terminal.waitForView("1 server");
    terminal.type(`/mc${tab}`);
    await terminal.waitForView("› /mcp");
    await terminal.waitForView("❯ files");
    terminal.type(`fi${tab}${enter}`);
    await terminal.waitFor("transport:");
  });

  it("/result shows a call by its number, and says if there is no such call", async () => {
    const { terminal } = await openChat({
      config: { mcpServers: { files: FILES }, permissions: { allow: ["files:*"] } },
      answers: [{ parts: [call("mcp__files__write", { path: "a.md" })] }, say("Done.")],
    });
    terminal.type(`/result${enter}`);
    await terminal.waitFor("There is no result yet.");
    terminal.type(`/result 7${enter}`);
    await terminal.waitFor("There is no call with this number.");
    terminal.type(`go${enter}`);
    await terminal.waitFor("Done.");
    terminal.type(`/result 1${enter}`);
    await terminal.waitForView("#1 files:write\nArguments:");
  });
});
