/** Tests `plugboard run` with a scripted model server and real MCP servers. */
import { writeFile } from "node:fs/promises";
import { startDaemon } from "@plugboard/daemon";
import { freePort } from "@plugboard/testkit/free-port";
import type { ScriptedAnswer } from "@plugboard/testkit/model-server";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runInShell, runInTerminal, runPiped, runPipedWithInput, startCommand } from "../../helpers/run-plugboard.ts";
import { done, echo, modelEnv, setUpRun } from "../../helpers/scripted-run.ts";

const allowAll = ["--allow", "s:*"];

describe("plugboard run", () => {
  it(
    "prints the texts of the model to stdout, and a line for each call to stderr",
    { meta: { covers: ["R4.1", "R4.5"] } },
    async () => {
      const setup = await setUpRun([{ parts: [{ text: "Let me see." }, echo("one"), echo("two")] }, done]);
      const ran = await runPiped(setup, "run", "Say it", ...allowAll);
      expect(ran).toMatchObject({ status: 0, stdout: "Let me see.\n\nDone.\n" });
      expect(ran.stderr).toMatch(/^s:echo ok \(\d+ ms\)\ns:echo ok \(\d+ ms\)\n$/);
      expect(JSON.stringify(setup.model.requests[0]?.body["tools"])).toContain('"mcp__s__echo"');
      expect(setup.model.requests[1]?.results.map(({ text }) => text)).toMatchObject([
        expect.stringContaining("one"),
        expect.stringContaining("two"),
      ]);
    },
  );

  it("gives the model a denial where nobody can be asked, and says how to allow the call", async () => {
    const setup = await setUpRun([{ parts: [echo("hi")] }, done]);
    const ran = await runPiped(setup, "run", "Say hi");
    expect(ran).toMatchObject({ status: 0, stdout: "Done.\n" });
    expect(ran.stderr).toMatch(/^s:echo denied/m);
    expect(ran.stderr).toContain("To allow it in a run, add `--allow s:echo`.\n");
    const [result] = setup.model.requests[1]!.results;
    expect(result).toMatchObject({ isError: true });
    expect(result?.text).toContain("nobody is there to give it");
    expect(result?.text).not.toContain("--allow");
  });

  it(
    "shows the reason of a failed call, tells it to the model, and the turn goes on",
    { meta: { covers: ["R0.76", "R0.78"] } },
    async () => {
      const setup = await setUpRun([{ parts: [{ call: "mcp__s__crash" }, { call: "nothing" }] }, done]);
      const ran = await runPiped(setup, "run", "Try", ...allowAll);
      expect(ran).toMatchObject({ status: 0, stdout: "Done.\n" });
      expect(ran.stderr).toMatch(/^s:crash failed \(.*\): .*"s"/m);
      expect(ran.stderr).toMatch(/^nothing does not exist/m);
      const [crashed, missing] = setup.model.requests[1]!.results.map(({ text }) => text);
      expect(crashed).toContain("exit code 3");
      expect(missing).toMatch(/"nothing" is not available.*another/s);
    },
  );

  it("reports a server that did not start, and runs without it", async () => {
    const config = { mcpServers: { s: scriptedLegacy(), bad: { command: "no-such-command" } } };
    const ran = await runPiped(await setUpRun([done], config), "run", "Hi");
    expect(ran).toMatchObject({ status: 0, stdout: "Done.\n" });
    expect(ran.stderr).toContain("bad: SERVER_SPAWN_FAILED");
  });

  it("offers the model only the tools of the profile, and none for files with --no-native-tools", async () => {
    const mcp = { servers: { s: scriptedLegacy() }, profiles: { small: { tools: { include: ["s:echo"] } } } };
    const setup = await setUpRun([done, done], { mcp });
    await runPiped(setup, "run", "Hi", "--profile", "small", "--no-native-tools");
    await runPiped(setup, "run", "Hi");
    const [small, all] = setup.model.requests.map(({ toolNames }) => toolNames);
    expect(small).toEqual(["mcp__s__echo"]);
    expect(all).toContain("read_file");
  });

  it("adds a server for one run", async () => {
    const { command, args } = scriptedLegacy();
    const setup = await setUpRun([{ parts: [{ call: "mcp__x__echo", args: { text: "hi" } }] }, done], {});
    const server = `x=${command} ${args.join(" ")}`;
    const ran = await runPiped(setup, "run", "Hi", "--mcp-server", server, "--allow", "x:echo");
    expect(ran.stderr).toMatch(/^x:echo ok/);
  });

  it("says that it asks the model again after a failure, and prints the answer once", async () => {
    const broken = { parts: [{ text: "Do" }, { breakOff: "socket" as const }] };
    const overloaded = { status: 529, headers: { "retry-after-ms": "20" } };
    const setup = await setUpRun([overloaded, broken, done]);
    const ran = await runPiped(setup, "run", "Hi");
    expect(ran).toMatchObject({ status: 0, stdout: "Done.\n" });
    expect(ran.stderr).toMatch(/Trying again in 20 ms\.\n.*Trying again in /s);
  });

  it("uses the running host, with the model of this terminal", async () => {
    const setup = await setUpRun([{ parts: [echo("hi")] }, done]);
    const { PLUGBOARD_MODEL: _, ANTHROPIC_API_KEY: _key, ANTHROPIC_BASE_URL: _url, ...hostEnv } = setup.env;
    const daemon = await startDaemon({ env: hostEnv, spec: { cwd: setup.cwd } });
    onTestFinished(() => daemon.stop());
    await daemon.workspace.start();
    const pids = async () => (await daemon.workspace.status()).map(({ pid }) => pid);
    const before = await pids();
    const ran = await runPiped(setup, "run", "Hi", "--allow", "s:echo");
    expect(ran).toMatchObject({ status: 0, stdout: "Done.\n" });
    expect(setup.model.requests[0]?.headers["x-api-key"]).toBe("test-key");
    expect(await pids()).toEqual(before);
    expect(await daemon.connect("cli").chats.list()).toEqual([]);
  });

  it("continues a stored chat with --continue and --resume", async () => {
    const setup = await setUpRun([done, done, done]);
    const first = await runPiped(setup, "run", "First", "--continue", "--json");
    const { chat } = (await parseOutput("run", first.stdout)) as { chat: string };
    await runPiped(setup, "run", "Second", "--continue");
    await runPiped(setup, "run", "Third", "--resume", chat);
    const prompts = setup.model.requests.map(({ body }) => JSON.stringify(body["messages"]));
    expect(prompts[1]).toMatch(/First.*Second/);
    expect(prompts[2]).toMatch(/First.*Second.*Third/);
  });

  it("suggests only commands that have an effect on a stored chat, which keeps its rules and limits", async () => {
    const setup = await setUpRun([{ parts: [echo("hi")] }]);
    const daemon = await startDaemon({ env: setup.env, spec: { cwd: setup.cwd } });
    onTestFinished(() => daemon.stop());
    const { chat } = await daemon.connect("cli").chats.create({ cwd: setup.cwd, limits: { steps: 1 } });
    const limited = await runPiped(setup, "run", "Say hi", "--resume", chat.id);
    expect(limited).toMatchObject({ status: 4 });
    expect(limited.stderr).toContain(`run \`plugboard run --resume ${chat.id} "Continue"\`.\n`);
    const other = await setUpRun([{ parts: [echo("hi")] }, done]);
    const denied = await runPiped(other, "run", "Say hi", "--continue");
    expect(denied.stderr).toContain("To allow it, run `plugboard permissions allow s:echo`.\n");
  });

  it("rejects an invalid --allow rule before it starts a host", async () => {
    const setup = await setUpRun([done]);
    const ran = await runPiped(setup, "run", "Hi", "--allow", "s");
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^USAGE: --allow s: /);
    expect(setup.model.requests).toEqual([]);
  });
});

describe("plugboard run --resume in a chat that is busy elsewhere", () => {
  /** Starts a turn of a chat, which lasts until `release` is called, and a command whose message waits until then. */
  async function runInBusyChat(...script: ScriptedAnswer[]) {
    let release = () => {};
    const waitFor = new Promise<void>((resolve) => (release = resolve));
    const setup = await setUpRun([{ parts: [{ text: "Working." }, { waitFor }] }, ...script], {});
    const { PLUGBOARD_MODEL: model, ...env } = setup.env;
    const file = env.PLUGBOARD_CONFIG_PATH!;
    await writeFile(file, JSON.stringify({ model }));
    const daemon = await startDaemon({ env, spec: { cwd: setup.cwd } });
    onTestFinished(() => daemon.stop());
    const api = daemon.connect("cli");
    const { chat, seq } = await api.chats.create({ cwd: setup.cwd });
    const first = await api.chats.send(chat.id, { text: "First" });
    const command = startCommand({ cwd: setup.cwd, env }, "run", "Second", "--resume", chat.id);
    command.child.stdin.end();
    const view = () => api.chats.resume(chat.id);
    await expect.poll(async () => (await view()).queue, { timeout: 10_000 }).toHaveLength(1);
    /** Resolves with the outcome of the turn. */
    const finished = async (input: string) => {
      for await (const event of api.events(seq))
        if (event.type === "chat.event" && event.event.type === "turn.finished" && event.event.input === input)
          return event.event.reason;
      return undefined;
    };
    const removeModel = async () => {
      await writeFile(file, "{}");
      await (await api.chatWorkspace(chat.id)).config.reload();
    };
    return { api, chat, first, command, release, view, finished, removeModel };
  }

  it("waits for the end of the other turn", async () => {
    const { command, release } = await runInBusyChat(done);
    release();
    expect(await command.exited).toBe(0);
    expect(command.stdout.text).toBe("Done.\n");
  });

  it("ends when the other terminal cancels the waiting messages", async () => {
    const { api, chat, command } = await runInBusyChat();
    await api.chats.cancel(chat.id);
    expect(await command.exited).toBe(130);
    expect(command.stderr.text).toMatch(/^CANCELLED: /);
  });

  it("withdraws only its own message after Ctrl-C", async () => {
    const { first, command, release, view, finished } = await runInBusyChat();
    command.child.kill("SIGINT");
    expect(await command.exited).toBe(130);
    expect((await view()).queue).toEqual([]);
    release();
    expect(await finished(first.id)).toBe("done");
  });

  it("fails if its turn can't begin", async () => {
    const { command, release, removeModel } = await runInBusyChat();
    await removeModel();
    release();
    expect(await command.exited).toBe(2);
    expect(command.stderr.text).toMatch(/^MODEL_NOT_SET: /);
  });
});

describe("plugboard run --output", () => {
  const script = [{ parts: [{ text: "See:" }, echo("a\u001b[2J")] }, { parts: [{ text: "\u001b[2JDone." }] }];

  it("json prints one object with the answer, the calls and the tokens", async () => {
    const usage = { input: 10, output: 5 };
    const setup = await setUpRun(script.map((answer) => ({ ...answer, usage })));
    const ran = await runPiped(setup, "run", "Hi", "--output", "json", ...allowAll);
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(ran.stdout).not.toContain("\u001b");
    expect(await parseOutput("run", ran.stdout)).toMatchObject({
      outcome: "done",
      text: "\u001b[2JDone.",
      model: "anthropic/scripted",
      steps: 2,
      calls: [{ tool: "s:echo", args: { text: "a\u001b[2J" }, status: "ok" }],
      usage: { inputTokens: 20, outputTokens: 10 },
    });
  });

  it("stream-json prints a line for each event, and the result as the last line", async () => {
    const setup = await setUpRun(script);
    const { status, stdout } = await runPiped(setup, "run", "Hi", "--output", "stream-json", ...allowAll);
    expect(status).toBe(0);
    const lines = stdout.trim().split("\n");
    const events = (await Promise.all(lines.map((line) => parseOutput("run-stream", line)))) as { type: string }[];
    const types = events.map(({ type }) => type);
    expect(types).toEqual([
      ...["turn.started", "message.added", "step.started", "text.delta", "message.added", "usage", "tool.requested"],
      ...["tool.started", "tool.finished", "message.added"],
      ...["step.started", "text.delta", "message.added", "usage", "turn.finished", "result"],
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: "done", calls: [{ status: "ok" }] });
  });

  it("json prints errors as JSON", async () => {
    const setup = await setUpRun([{ status: 401, type: "authentication_error", message: "invalid key" }]);
    const ran = await runPiped(setup, "run", "Hi", "--output", "json");
    expect(ran.status).toBe(3);
    expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: "MODEL_FAILED" } });
    expect(await parseOutput("run", ran.stdout)).toMatchObject({ outcome: "failed", error: { code: "MODEL_FAILED" } });
    const unset = { ...setup, env: { ...setup.env, PLUGBOARD_MODEL: "" } };
    const refused = await runPiped(unset, "run", "Hi", "--output", "stream-json");
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "MODEL_NOT_SET" } });
  });
});

describe("the exit status of plugboard run", () => {
  it("is 4 if the steps are used up, and the calls of the last step do not run", async () => {
    const setup = await setUpRun([{ parts: [{ text: "Working." }, echo("hi")] }]);
    const ran = await runPiped(setup, "run", "Hi", "--max-steps", "1", "--output", "json", ...allowAll);
    expect(ran.status).toBe(4);
    expect(JSON.parse(ran.stderr)).toMatchObject({
      error: { code: "TURN_INCOMPLETE", message: expect.stringContaining("--max-steps") as string },
    });
    expect(await parseOutput("run", ran.stdout)).toMatchObject({
      outcome: "step_limit",
      text: "Working.",
      calls: [{ status: "not_run" }],
    });
  });

  it("is 4 if the tokens are used up", async () => {
    const setup = await setUpRun([{ parts: [echo("hi")], usage: { input: 90, output: 20 } }]);
    const ran = await runPiped(setup, "run", "Hi", "--max-tokens", "100", ...allowAll);
    expect(ran.status).toBe(4);
    expect(ran.stderr).toContain("TURN_INCOMPLETE: The turn reached its limit of tokens");
  });

  it("is 2 if no model is set, and the message says what to set", async () => {
    const { cwd, env } = await setUpRun([]);
    const { PLUGBOARD_MODEL: _, ...unset } = env;
    const ran = await runPiped({ cwd, env: unset }, "run", "Hi");
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toMatch(
      /^MODEL_NOT_SET: .*`--model provider\/model`.*`ANTHROPIC_API_KEY`.*`ollama\/…` without a key/,
    );
  });

  it("is 2 if the key is missing, and the message says where to put it", async () => {
    const { cwd, env } = await setUpRun([]);
    const { ANTHROPIC_API_KEY: _, ...unset } = env;
    const ran = await runPiped({ cwd, env: unset }, "run", "Hi");
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^MODEL_KEY_MISSING: .*`plugboard secret set ANTHROPIC_API_KEY`/);
  });

  it.each([
    ["the key is wrong", { status: 401, type: "authentication_error", message: "invalid x-api-key" }, /API key/],
    [
      "there is no such model",
      { status: 404, type: "not_found_error", message: "model: scripted" },
      /name of the model/,
    ],
  ])("is 3 if %s", async (_, answer, advice) => {
    const ran = await runPiped(await setUpRun([answer]), "run", "Hi");
    expect(ran).toMatchObject({ status: 3, stdout: "" });
    expect(ran.stderr).toMatch(/^MODEL_FAILED: The model "anthropic\/scripted"/);
    expect(ran.stderr).toContain(answer.message);
    expect(ran.stderr).toMatch(advice);
  });

  it("is 3 if nothing answers at the base URL", async () => {
    const { cwd, env } = await setUpRun([]);
    const url = `http://127.0.0.1:${await freePort()}/v1`;
    const ran = await runPiped({ cwd, env: { ...env, ...modelEnv(url) } }, "run", "Hi");
    expect(ran).toMatchObject({ status: 3, stdout: "" });
    expect(ran.stderr).toMatch(/^The request to the model failed: .*ECONNREFUSED.*\. Trying again in /);
    expect(ran.stderr).toMatch(/^MODEL_UNAVAILABLE: .*ECONNREFUSED.*Check the base URL/m);
  });

  it("is 130 after Ctrl-C, which cancels the call and ends its server", async () => {
    const setup = await setUpRun([{ parts: [{ text: "Waiting." }, { call: "mcp__s__hold" }] }]);
    const { child, stdout, stderr, exited } = startCommand(setup, "run", "Wait", "--allow", "s:hold");
    child.stdin.end();
    await stdout.waitFor("Waiting.", 10_000);
    const readLog = async () => (await runPiped(setup, "logs", "s")).stdout;
    await expect.poll(readLog).toContain("holding");
    child.kill("SIGINT");
    expect(await exited).toBe(130);
    expect(stderr.text).toMatch(/^s:hold cancelled/m);
    expect(stderr.text).toMatch(/^CANCELLED: /m);
    expect(await readLog()).toContain("cancelled");
  });

  it("is 141 if the reader of stdout goes away, and the turn ends", async () => {
    const setup = await setUpRun([
      { parts: [{ text: "One." }, echo("x")] },
      { parts: [{ text: "Two." }, { call: "mcp__s__hold" }] },
    ]);
    const ran = await runInShell(
      setup,
      `plugboard run "Go" --allow 's:*' < /dev/null | head -1; exit \${PIPESTATUS[0]}`,
    );
    expect(ran).toMatchObject({ status: 141, stdout: "One.\n" });
  });
});

describe("the prompt of plugboard run", () => {
  const promptOf = ({ model }: Awaited<ReturnType<typeof setUpRun>>) =>
    (model.requests[0]!.body["messages"] as { content: { text: string }[] }[])[0]?.content[0]?.text;

  it("is the argument, with stdin as its context", async () => {
    const setup = await setUpRun([done], {});
    expect(await runPipedWithInput(setup, "line 1\nline 2\n", "run", "Review this")).toMatchObject({ status: 0 });
    expect(promptOf(setup)).toBe("Review this\n\n<stdin>\nline 1\nline 2\n</stdin>");
  });

  it.each([[["run"]], [["run", "-"]]])("is stdin for %j", async (args) => {
    const setup = await setUpRun([done], {});
    expect(await runPipedWithInput(setup, "Do it\n", ...args)).toMatchObject({ status: 0 });
    expect(promptOf(setup)).toBe("Do it");
  });

  it("must not be empty", async () => {
    const ran = await runPiped(await setUpRun([], {}), "run");
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining("USAGE: the prompt is empty") as string });
  });

  it("is rejected if stdin is too long", async () => {
    const setup = await setUpRun([done], {});
    const ran = await runPipedWithInput(setup, "x".repeat(1024 * 1024 + 1), "run", "Review");
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain("stdin can't be used: it has more than 1048576 bytes");
    expect(setup.model.requests).toEqual([]);
  });

  it("does not wait for a stdin that stays open", async () => {
    const setup = await setUpRun([done], {});
    const { stderr, exited } = startCommand(setup, "run", "Hi");
    expect(await exited).toBe(0);
    expect(stderr.text).toBe("Nothing arrived on stdin within 3 s. Going on without it.\n");
    expect(promptOf(setup)).toBe("Hi");
  });
});

describe("plugboard run on a terminal", () => {
  it("asks before a call, and goes on with the answer", async () => {
    const setup = await setUpRun([{ parts: [echo("hi")] }, done]);
    const terminal = runInTerminal(setup, "run", "Say hi");
    await terminal.waitFor("s:echo needs your permission");
    await terminal.waitFor('"text": "hi"');
    await terminal.waitFor("Allow s:echo?");
    terminal.type("y\r");
    await terminal.waitFor(/s:echo .*ok.* \(/);
    await terminal.waitFor("Done.");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it(
    "shows the text as it comes, and makes escape sequences of the model and of servers visible",
    { meta: { covers: ["A7"] } },
    async () => {
      let goOn = () => {};
      const wait = new Promise<void>((resolve) => (goOn = resolve));
      const setup = await setUpRun([
        {
          parts: [
            { text: "First \u001b]52;c;evil\u0007 👩" },
            { text: "\u200d💻 " },
            { waitFor: wait },
            { text: "then." },
          ],
        },
      ]);
      const terminal = runInTerminal(setup, "run", "Go");
      await terminal.waitFor("First <U+001B>]52;c;evil<U+0007> 👩\u200d💻");
      goOn();
      await terminal.waitFor("then.");
      expect(await terminal.exited).toMatchObject({ exitCode: 0 });
      expect(terminal.output()).not.toContain("\u001b]52");
    },
  );

  it("needs a prompt", async () => {
    const terminal = runInTerminal(await setUpRun([], {}), "run");
    await terminal.waitFor("USAGE: the prompt is missing");
    expect(await terminal.exited).toMatchObject({ exitCode: 2 });
  });
});
