/** Tests conversations of `plugboard chat`: messages, answers, tool calls, the queue and cancelling. */
import { startModelServer } from "@plugboard/testkit/model-server";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  call,
  countForever,
  echo,
  FILES,
  KEYS,
  makeGate,
  openChat,
  runChat,
  say,
  sayResult,
  userText,
} from "../../helpers/chat-in-terminal.ts";
import { stopAfterTest } from "../../helpers/hosting.ts";
import { puppetServer, setUp } from "../../helpers/run-plugboard.ts";

const writes = (path: string) => ({ parts: [call("mcp__files__write", { path })] });

describe("plugboard chat", () => {
  it("sends messages that were entered before the chat was open, in order, and keeps text that is not sent yet", async () => {
    const model = await startModelServer(echo, echo);
    onTestFinished(() => model.close());
    const base = await setUp({});
    stopAfterTest(base);
    const modelEnv = { PLUGBOARD_MODEL: "compatible/scripted", PLUGBOARD_MODEL_URL: model.url };
    const terminal = runChat({ ...base, env: { ...base.env, ...modelEnv } });
    await terminal.waitForView("connecting…");
    terminal.type(`first${KEYS.enter}second${KEYS.enter}a draft`);
    await terminal.waitForView(/You said: first[^]*You said: second[^]*^› a draft$/m);
    expect(model.requests.map(userText)).toEqual(["first", "second"]);
  });

  it(
    "holds a conversation with an approval, a denial, /mcp during a turn, Esc, a resize, a paste and Ctrl-C twice",
    { meta: { covers: ["R2.4", "R2.20", "F41"] } },
    async () => {
      const { terminal, model } = await openChat({
        answers: [writes("a.md"), sayResult, writes("b.md"), sayResult, countForever, echo],
        config: { mcpServers: { files: FILES } },
      });
      terminal.type(`write a.md${KEYS.enter}`);
      await terminal.waitFor("Allow files:write?");
      terminal.type("y");
      await terminal.waitFor("The tool said");

      terminal.type(`write b.md${KEYS.enter}`);
      await terminal.waitFor("Allow files:write?");
      terminal.type("r");
      await terminal.waitFor("reason ›");
      terminal.type(`b.md is mine${KEYS.enter}`);
      await terminal.waitFor(/The tool said .*b\.md\s+is mine/s);

      terminal.type(`count${KEYS.enter}`);
      await terminal.waitFor("Counting");
      terminal.type(`/mcp${KEYS.enter}`);
      await terminal.waitFor(/SERVER +TRANSPORT +SOURCE +ENABLED +STATE +TOOLS/);
      await terminal.waitForView(/files +stdio +user +yes +ready +1/);
      terminal.type(KEYS.escape);
      await terminal.waitFor("Cancelled.");

      await terminal.resize(70, 24);
      const pasted = `${"word ".repeat(1000)}\n${"line ".repeat(1000)}`.slice(0, 10_000);
      terminal.type(`${KEYS.escape}[200~${pasted.replaceAll("\n", "\r")}${KEYS.escape}[201~`);
      await terminal.waitFor("10000 characters in all");
      terminal.type(KEYS.enter);
      await terminal.waitFor("You said:");
      expect(userText(model.requests.at(-1)!)).toBe(pasted);

      terminal.type(KEYS.ctrlC);
      await terminal.waitFor("Press Ctrl-C again to leave");
      terminal.type(KEYS.ctrlC);
      await expect(terminal.exited).resolves.toMatchObject({ exitCode: 0 });
      const text = (await terminal.view.allRows()).join("\n");
      expect(text).toMatch(/● files:write path=a\.md/);
      expect(text).toMatch(/⊘ files:write path=b\.md {2}denied/);
    },
  );

  it("shows the answer as markdown while it streams, then the tokens", async () => {
    const later = makeGate();
    const parts = [{ text: "# Plan\n\n**First** part" }, { waitFor: later.opened }, { text: " and the rest" }];
    const { terminal } = await openChat({ answers: [{ parts, usage: { input: 1200, output: 34 } }] });
    terminal.type(`hello${KEYS.enter}`);
    await terminal.waitFor("\u001b[1mFirst\u001b[22m part");
    await terminal.waitForView("Plan\n\nFirst part");
    later.open();
    await terminal.waitForView("First part and the rest");
    await terminal.waitForView("compatible/scripted · 1.2k tokens");
  });

  it("prints the model's text before the question that follows it", async () => {
    const answers = [{ parts: [{ text: "I write it now." }, call("mcp__files__write", { path: "a.md" })] }, sayResult];
    const { terminal } = await openChat({ answers });
    terminal.type(`write${KEYS.enter}`);
    const rows = (await terminal.waitForView("Allow files:write?")).split("\n");
    const places = ["› write", "I write it now.", "files:write needs your permission", "Allow files:write?"].map(
      (text) => rows.findIndex((row) => row.startsWith(text)),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThanOrEqual(0);
  });

  it(
    "gives the result of a call to the model and to the user, and keeps it for the next message",
    { meta: { covers: ["R1.55", "R4.1", "R4.5", "R4.12"] } },
    async () => {
      const server = puppetServer({ result: { content: [{ type: "text", text: "7 apples" }] } });
      const { terminal, model } = await openChat({
        config: { mcpServers: { fruit: server }, permissions: { allow: ["fruit:*"] } },
        answers: [{ parts: [call("mcp__fruit__go")] }, say("Counted."), echo],
      });
      terminal.type(`count${KEYS.enter}`);
      await terminal.waitForView(/fruit:go[^]*7 apples[^]*Counted\./);
      terminal.type(`again${KEYS.enter}`);
      await terminal.waitForView("You said: again");
      const offered = model.requests.map(({ body }) => JSON.stringify(body["tools"]));
      expect(offered[0]).toContain('"mcp__fruit__go"');
      const results = model.requests.map(({ results: got }) => got.map(({ text }) => text));
      expect(results).toEqual([[], [expect.stringContaining("7 apples")], [expect.stringContaining("7 apples")]]);
    },
  );

  it("shows the beginning of a long result, and all of it with Ctrl-O and /result", async () => {
    const text = Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n");
    const server = puppetServer({ result: { content: [{ type: "text", text }] } });
    const { terminal } = await openChat({
      config: { mcpServers: { logs: server }, permissions: { allow: ["logs:*"] } },
      answers: [{ parts: [call("mcp__logs__go")] }, say("Read.")],
    });
    terminal.type(`read${KEYS.enter}`);
    await terminal.waitFor("Read.");
    expect(terminal.output()).toContain("… 27 more lines (Ctrl-O or /result 1)");
    expect(terminal.output()).not.toContain("line 29");
    terminal.type(KEYS.ctrlO);
    await terminal.waitFor("line 29");
    terminal.type(`/result 1${KEYS.enter}`);
    await terminal.waitFor("line 29");
  });

  it("cuts a result that is too large for the model", { meta: { covers: ["R2.168"] } }, async () => {
    const { terminal, model } = await openChat({
      config: {
        mcpServers: { logs: puppetServer({ characters: 400_000 }) },
        permissions: { allow: ["logs:*"] },
      },
      answers: [{ parts: [call("mcp__logs__go")] }, say("Read.")],
    });
    terminal.type(`read${KEYS.enter}`);
    await terminal.waitFor("Read.");
    const [result] = model.requests.at(-1)!.results;
    expect(result!.text).toContain("xxx");
    expect(result!.text.length).toBeLessThan(150_000);
    expect(result!.text).toContain("read_output");
  });

  it("sends messages that were typed during a turn after it, or puts them back into the input on Esc", async () => {
    const first = makeGate();
    const answers = [{ parts: [{ text: "One." }, { waitFor: first.opened }] }, say("Two."), countForever, echo];
    const { terminal, model } = await openChat({ answers });
    terminal.type(`one${KEYS.enter}`);
    await terminal.waitFor("One.");
    terminal.type(`two${KEYS.enter}`);
    await terminal.waitFor("next: two");
    first.open();
    await terminal.waitFor("Two.");
    terminal.type(`three${KEYS.enter}`);
    await terminal.waitFor("Counting");
    terminal.type(`four${KEYS.enter}`);
    await terminal.waitFor("next: four");
    terminal.type(KEYS.escape);
    await terminal.waitFor("Cancelled.");
    await terminal.waitForView("› four");
    terminal.type(KEYS.enter);
    await terminal.waitFor("You said:");
    expect(model.requests.map(userText)).toEqual(["one", "two", "three", "four"]);
  });

  it("cancels a running call on Esc, and the model can go on", async () => {
    const { terminal, model } = await openChat({
      config: {
        mcpServers: { asker: puppetServer({ asks: [{ mode: "form", message: "?", requestedSchema: FORM }] }) },
        permissions: { allow: ["asker:*"] },
      },
      answers: [{ parts: [call("mcp__asker__go")] }, say("Understood.")],
    });
    terminal.type(`go${KEYS.enter}`);
    await terminal.waitFor("asks for city");
    terminal.type(KEYS.ctrlC);
    await terminal.waitFor("Understood.");
    expect(model.requests.at(-1)!.results.at(-1)!.text).toContain("cancel");
  });

  it("shows earlier messages with the arrow keys, also commands", async () => {
    const { terminal } = await openChat({ answers: [echo] });
    terminal.type(`hello${KEYS.enter}`);
    await terminal.waitFor("You said:");
    terminal.type(`/cost${KEYS.enter}`);
    await terminal.waitFor("Context:");
    terminal.type(KEYS.up);
    await terminal.waitForView(/^compatible.*\n› \/cost$/m);
    terminal.type(KEYS.up);
    await terminal.waitForView(/^compatible.*\n› hello$/m);
  });

  it("says why the model did not answer, and goes on with the next message", async () => {
    const answers = [{ status: 400, message: "no credit" }, echo];
    const { terminal } = await openChat({ answers });
    terminal.type(`one${KEYS.enter}`);
    await terminal.waitForView(/could not answer: .*no credit/);
    terminal.type(`two${KEYS.enter}`);
    await terminal.waitForView("You said: two");
  });
});

const FORM = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
