/** Tests `plugboard inbox` against a running host whose clients can't be asked. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { openTerminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import { describe, expect, it, onTestFinished } from "vitest";
import { addNamedToken, startRunningHost } from "../../../../daemon/test/helpers/running-host.ts";
import { sendToolCall } from "../../../../gateway/test/helpers/raw-modern-client.ts";
import { watchInbox } from "../../../../gateway/test/helpers/watch-inbox.ts";
import { parseOutput } from "../../helpers/json-schema.ts";
import { command, runInTerminal, runPiped, setUp } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

async function startHost() {
  const host = await startRunningHost({ s: scriptedLegacy() }, {}, { allow: ["*"], ask: ["s:echo"] });
  onTestFinished(host.close);
  const setup: Setup = { cwd: host.env["HOME"]!, env: host.env };
  const callWith = (token: string, text = "hi") =>
    sendToolCall({ ...host, token }, "s__echo", { text }, { capabilities: {} });
  const call = (text?: string) => callWith(host.token, text);
  /** Returns a function that calls the tool with a token of its own. */
  const makeClient = async (name: string) => {
    const token = await addNamedToken(host.env, { name, mayApprove: false, now: 0 });
    return () => callWith(token);
  };
  /** Keeps questions open. Without a watcher of the inbox, a question would end after five seconds. */
  const watch = () => watchInbox(host, () => undefined);
  return { setup, call, watch, makeClient };
}

type Listed = { running: boolean; questions: { id: string; type: string }[] };

async function waitForQuestion(setup: Setup): Promise<string> {
  let id: string | undefined;
  await expect
    .poll(async () => {
      const { stdout } = await runPiped(setup, "inbox", "--json");
      id = ((await parseOutput("inbox", stdout)) as Listed).questions[0]?.id;
      return id;
    })
    .toBeDefined();
  return id!;
}

describe("plugboard inbox", () => {
  it("says that no host is running", async () => {
    const setup = await setUp();
    expect(await runPiped(setup, "inbox")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^No host is/) as string,
    });
    const json = await runPiped(setup, "inbox", "--json");
    expect(await parseOutput("inbox", json.stdout)).toEqual({ running: false, questions: [] });
    expect(await runPiped(setup, "inbox", "show", "abc")).toMatchObject({ status: 2 });
  });

  it("lists, shows and answers the question of a client, by the beginning of its id", async () => {
    const { setup, call, watch } = await startHost();
    await watch();
    const result = call();
    const id = await waitForQuestion(setup);
    const listed = await runPiped(setup, "inbox");
    expect(listed.stdout).toMatch(new RegExp(`${id.slice(0, 8)} +permission +s:echo +owner +\\d+ min`));
    const shown = await runPiped(setup, "inbox", "show", id.slice(0, 6));
    expect(shown.stdout).toContain(
      "s:echo needs your permission (rule s:echo), because a client with the token owner calls it.",
    );
    expect(
      await parseOutput("inbox-show", (await runPiped(setup, "inbox", "show", id, "--json")).stdout),
    ).toMatchObject({
      id,
      arguments: { text: "hi" },
    });
    expect((await runPiped(setup, "inbox", "answer", id, "maybe")).stderr).toContain(
      "expected once, session, always, everyone, server or no",
    );
    const answered = await runPiped(setup, "inbox", "answer", id.slice(0, 8), "once", "--json");
    expect(await parseOutput("inbox-answer", answered.stdout)).toEqual({ question: id, dismissed: false });
    expect((await result).result?.content).toEqual([{ type: "text", text: "hi" }]);
    expect((await runPiped(setup, "inbox")).stdout).toBe("No question waits.\n");
  });

  it("keeps a question open for a user who has listed it, and shows the time that is left", async () => {
    const { setup, call } = await startHost();
    await runPiped(setup, "inbox");
    const result = call();
    const id = await waitForQuestion(setup);
    const listed = await runPiped(setup, "inbox");
    expect(listed.stdout).toMatch(/owner +1 min/);
    expect(listed.stdout).toContain("A permission takes once, session, always, server or no.");
    await runPiped(setup, "inbox", "answer", id, "once");
    expect((await result).result?.content).toEqual([{ type: "text", text: "hi" }]);
  });

  it("passes the reason of a denial to the client", async () => {
    const { setup, call, watch } = await startHost();
    await watch();
    const result = call();
    const id = await waitForQuestion(setup);
    await runPiped(setup, "inbox", "answer", id, "no", "not", "today");
    expect(JSON.stringify((await result).result)).toContain("Reason: not today");
  });

  it("requires a terminal or --json for --watch", async () => {
    expect((await runPiped(await setUp(), "inbox", "--watch")).stderr).toContain("--watch asks on a terminal");
    expect((await runPiped(await setUp(), "inbox", "--watch", "--json")).stderr).toContain("HOST_UNREACHABLE");
  });
});

describe("plugboard inbox --watch on a terminal", () => {
  it("asks each question as it comes, rings, and stops with Ctrl-C", { meta: { covers: ["A18"] } }, async () => {
    const { setup, call } = await startHost();
    const terminal = runInTerminal(setup, "inbox", "--watch");
    await terminal.waitFor("Watching for questions.");
    const first = call("one");
    await terminal.waitFor("Allow s:echo? y = once, s = this session, a = always, w = whole server, n [reason]: ");
    expect(terminal.output()).toContain("\u0007");
    terminal.type("y\r");
    expect((await first).result?.content).toEqual([{ type: "text", text: "one" }]);
    const second = call("two");
    await terminal.waitFor(/"two"[^]*Allow s:echo\?/);
    terminal.type("n no more\r");
    expect(JSON.stringify((await second).result)).toContain("no more");
    await terminal.waitFor("The question is settled.");
    terminal.type("\u0003");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
  });

  it("lets the owner allow a tool for one client, or for every client", { meta: { covers: ["S28"] } }, async () => {
    const { setup, makeClient } = await startHost();
    const [ann, bob, eve] = [await makeClient("ann"), await makeClient("bob"), await makeClient("eve")];
    const terminal = runInTerminal(setup, "inbox", "--watch");
    await terminal.waitFor("Watching for questions.");
    const first = ann();
    await terminal.waitFor("a client with the token ann calls it");
    await terminal.waitFor(
      "s = this session, a = always for this client, e = always for every client, w = whole server, n [reason]: ",
    );
    terminal.type("a\r");
    expect((await first).result?.isError).not.toBe(true);
    const second = bob();
    await terminal.waitFor("a client with the token bob calls it");
    await terminal.waitFor("Allow s:echo?");
    terminal.type("e\r");
    expect((await second).result?.isError).not.toBe(true);
    expect((await eve()).result?.content).toEqual([{ type: "text", text: "hi" }]);
    const { stdout } = await runPiped(setup, "permissions", "list");
    expect(stdout).toMatch(/s:echo +always +ann +[^]*s:echo +always +every client +/);
  });

  it("sends a notification to a terminal that supports notifications", async () => {
    const { setup, call } = await startHost();
    const env = { ...setup.env, TERM_PROGRAM: "WezTerm" };
    const terminal = openTerminal(process.execPath, [command, "inbox", "--watch"], { cwd: setup.cwd, env });
    onTestFinished(() => terminal.kill());
    await terminal.waitFor("Watching for questions.");
    const result = call();
    await terminal.waitFor("Allow s:echo?");
    expect(terminal.output()).toContain("\u001b]9;s:echo has a question\u0007");
    terminal.type("y\r");
    await result;
  });

  it("leaves an open question open for other terminals when it is stopped", async () => {
    const { setup, call, watch } = await startHost();
    await watch();
    const terminal = runInTerminal(setup, "inbox", "--watch");
    await terminal.waitFor("Watching for questions.");
    const result = call();
    await terminal.waitFor("Allow s:echo?");
    terminal.type("\u0003");
    await terminal.exited;
    const id = await waitForQuestion(setup);
    await runPiped(setup, "inbox", "answer", id, "once");
    expect((await result).result?.content).toEqual([{ type: "text", text: "hi" }]);
  });
});
