/** Tests names, permissions and errors of calls with real servers. */
import type { Answer, PermissionQuestion, Question } from "@plugboard/contracts";
import { createHost } from "@plugboard/host";
import type { CreateHostOptions } from "@plugboard/host";
import { isAlive } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";

async function open(options: Partial<CreateHostOptions>) {
  const host = await createHost({
    servers: { s: scriptedLegacy() },
    env: { ...process.env, PLUGBOARD_CONFIG_PATH: undefined, XDG_CONFIG_HOME: "/nonexistent" },
    ...options,
  });
  onTestFinished(() => host.close());
  await host.ready();
  return host;
}

const echo = { content: [{ type: "text", text: "hi" }] };

describe("Calls", () => {
  describe("permission", () => {
    it("is not given to an unattended program, and the error says what to do", async () => {
      const host = await open({});
      await expect(host.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({
        code: "NOBODY_TO_ASK",
        message: expect.stringMatching(/permissions\.allow.*ports\.answer/) as string,
      });
    });

    it(
      "is asked for with the tool and its arguments, and the answer `once` applies to one call",
      { meta: { covers: ["R2.138"] } },
      async () => {
        const asked: Question[] = [];
        const host = await open({
          ports: {
            answer: (question) => (asked.push(question), Promise.resolve({ type: "permission", decision: "once" })),
          },
        });
        expect(await host.tools.call("s:echo", { text: "hi" })).toEqual(echo);
        expect(await host.tools.call("s:echo", { text: "hi" })).toEqual(echo);
        expect(asked).toMatchObject([
          {
            type: "permission",
            server: "s",
            tool: "echo",
            arguments: { text: "hi" },
          } satisfies Partial<PermissionQuestion>,
          { type: "permission" },
        ]);
      },
    );

    it.each<[string, Answer | undefined, object]>([
      [
        "refused with a reason",
        { type: "permission", decision: "no", reason: "not now" },
        { by: "the user", reason: "not now" },
      ],
      ["dismissed", undefined, { by: "the user, who dismissed the question" }],
      [
        "answered with an answer of another type",
        { type: "elicitation", action: "accept" },
        { by: "the user, who dismissed the question" },
      ],
    ])("is not given when the question is %s", { meta: { covers: ["R2.161"] } }, async (_, answer, details) => {
      const host = await open({ ports: { answer: () => Promise.resolve(answer) } });
      await expect(host.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "TOOL_DENIED", details });
    });

    it("is not asked for if the arguments are invalid, but a rule that denies is applied before they are checked", async () => {
      const asked: Question[] = [];
      const rules = { ask: ["s:echo"], deny: ["s:env"] };
      const host = await open({
        permissions: rules,
        ports: { answer: (question) => (asked.push(question), Promise.resolve(undefined)) },
      });
      await expect(host.tools.call("s:echo", {})).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
      expect(asked).toEqual([]);
      await expect(host.tools.call("s:env", {})).rejects.toMatchObject({ code: "TOOL_DENIED" });
      const unattended = await open({ permissions: rules });
      await expect(unattended.tools.call("s:echo", {})).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
    });

    it("is no longer asked for after the call is cancelled", async () => {
      const abort = new AbortController();
      const host = await open({ ports: { answer: () => (abort.abort(), new Promise(() => {})) } });
      const call = host.tools.call("s:echo", { text: "hi" }, { signal: abort.signal });
      await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
      expect(await host.inbox.list()).toEqual([]);
    });

    it(
      "is never asked for a denied tool, which is hidden and can't be called by any of its names",
      { meta: { covers: ["R4.17"] } },
      async () => {
        const host = await open({ permissions: { allow: ["*"], deny: ["s:echo"] } });
        expect(host.tools.list().map(({ tool }) => tool)).not.toContain("echo");
        for (const ref of ["s:echo", "mcp__s__echo", { server: "s", tool: "echo" }]) {
          await expect(host.tools.call(ref, {})).rejects.toMatchObject({
            code: "TOOL_DENIED",
            details: { by: "rule s:echo" },
          });
        }
      },
    );

    it("is not asked for a call from the command line, unless a rule asks", async () => {
      const host = await open({});
      const cli = await host
        .as("cli")
        .workspace({ cwd: ".", servers: { s: scriptedLegacy() }, permissions: { ask: ["s:env"] } });
      expect(await cli.tools.call("s:echo", { text: "hi" })).toEqual(echo);
      await expect(cli.tools.call("s:env", {})).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
    });
  });

  describe("the id of a call", () => {
    /** Opens a host, and returns the questions with the functions that answer them. */
    async function openAsking() {
      const asked: { readonly question: Question; readonly answer: (decision: "once" | "no") => void }[] = [];
      const host = await open({
        ports: {
          answer: (question) =>
            new Promise((resolve) =>
              asked.push({ question, answer: (decision) => resolve({ type: "permission", decision }) }),
            ),
        },
      });
      return { host, asked };
    }

    it("can be chosen by the caller, and is in the events, the question and the journal", async () => {
      const { host, asked } = await openAsking();
      const call = host.tools.call("s:echo", { text: "hi" }, { id: "chat-7.call:1_a" });
      await vi.waitFor(() => expect(asked).toHaveLength(1));
      expect(asked[0]!.question.call).toBe("chat-7.call:1_a");
      asked[0]!.answer("once");
      expect(await call).toEqual(echo);
      const events: object[] = [];
      for await (const event of host.events(0)) {
        if ("call" in event) events.push({ type: event.type, call: event.call });
        if (event.type === "call.ended") break;
      }
      const types = ["call.started", "decision.made", "call.ended"];
      expect(events).toEqual(types.map((type) => ({ type, call: "chat-7.call:1_a" })));
      const entries = await host.activity.recent({ server: "s" });
      expect(entries).toContainEqual(expect.objectContaining({ type: "call", call: "chat-7.call:1_a" }));
    });

    it("tells two equal calls apart, so that the allowed one runs and the other does not", async () => {
      const { host, asked } = await openAsking();
      const [first, second] = ["a", "b"].map((id) => host.tools.call("s:echo", { text: "hi" }, { id }));
      await vi.waitFor(() => expect(asked).toHaveLength(2));
      for (const { question, answer } of asked) answer(question.call === "b" ? "once" : "no");
      await expect(first).rejects.toMatchObject({ code: "TOOL_DENIED" });
      expect(await second).toEqual(echo);
    });

    it("can't be the id of a call that has not ended, but can be used again after its end", async () => {
      const { host, asked } = await openAsking();
      const first = host.tools.call("s:echo", { text: "hi" }, { id: "a" });
      await vi.waitFor(() => expect(asked).toHaveLength(1));
      await expect(host.tools.call("s:echo", { text: "hi" }, { id: "a" })).rejects.toMatchObject({
        code: "OPTION_INVALID",
        details: { method: "tools.call", option: "id" },
        message: expect.stringContaining(
          'tools.call: the option "id" ("a") is that of another call that has not ended.',
        ),
      });
      asked[0]!.answer("no");
      await expect(first).rejects.toMatchObject({ code: "TOOL_DENIED" });
      expect(asked).toHaveLength(1);
      const again = host.tools.call("s:echo", { text: "hi" }, { id: "a" });
      await vi.waitFor(() => expect(asked).toHaveLength(2));
      asked[1]!.answer("once");
      expect(await again).toEqual(echo);
    });

    it("can't have the form of the ids that the host makes", async () => {
      const { host, asked } = await openAsking();
      const call = host.tools.call("s:echo", { text: "hi" }, { id: "0123456789abcdef".repeat(2) });
      await expect(call).rejects.toMatchObject({ code: "OPTION_INVALID", details: { option: "id" } });
      expect(asked).toEqual([]);
    });

    it.each(["", "a b", "a/b", "a\n", "ä", "x".repeat(101), 7])("can't be %j", async (id) => {
      const { host, asked } = await openAsking();
      const call = (async () => host.tools.call("s:echo", { text: "hi" }, { id: id as string }))();
      await expect(call).rejects.toMatchObject({
        code: "OPTION_INVALID",
        message: expect.stringContaining(`tools.call: the option "id" (${JSON.stringify(id)}) must be 1 to 100`),
      });
      expect(asked).toEqual([]);
    });
  });

  describe("tool name", () => {
    it.each(["mcp__s__echo", "s:echo", { server: "s", tool: "echo" }])(
      "calls the tool by %j",
      { meta: { covers: ["R0.36", "R1.34", "R3.88", "R0.26", "R2.126", "R3.31", "R4.8", "R4.14"] } },
      async (ref) => {
        const host = await open({ permissions: { allow: ["*"] } });
        expect(await host.tools.call(ref, { text: "hi" })).toEqual(echo);
      },
    );

    it.each([
      ["s:ecco", "TOOL_NOT_FOUND", "s:echo"],
      ["mcp__s__ecco", "TOOL_NOT_FOUND", "mcp__s__echo"],
      ["t:echo", "SERVER_UNKNOWN", "Known: s"],
    ])(
      "fails for the unknown name %s with a suggestion",
      { meta: { covers: ["R0.37", "R0.38"] } },
      async (ref, code, help) => {
        const host = await open({ permissions: { allow: ["*"] } });
        const call = host.tools.call(ref, {});
        await expect(call).rejects.toMatchObject({ code, message: expect.stringContaining(help) as string });
      },
    );
  });

  describe("servers", () => {
    it(
      "fail independently, each with its own reason",
      { meta: { covers: ["R0.34", "R1.21", "R1.22", "R1.25", "R2.95", "R2.107", "R2.110", "R2.111", "R3.49"] } },
      async () => {
        const host = await createHost({
          env: { PATH: process.env["PATH"], XDG_CONFIG_HOME: "/nonexistent" },
          servers: {
            good: scriptedLegacy(),
            missing: { command: "no-such-command-here" },
            unset: { command: "x", env: { KEY: "${NOT_SET_ANYWHERE}" } },
            off: { command: "x", enabled: false },
            "wrong-type": { command: 5 as unknown as string },
          },
        });
        onTestFinished(() => host.close());
        const { ready, errors } = await host.ready();
        expect(ready).toEqual(["good"]);
        expect(errors).toMatchObject({
          missing: { code: "SERVER_SPAWN_FAILED" },
          unset: { code: "SERVER_INVALID", message: expect.stringContaining("NOT_SET_ANYWHERE") as string },
          "wrong-type": { code: "SERVER_INVALID" },
        });
        expect(host.status().map(({ id, state }) => [id, state])).toEqual([
          ["good", "ready"],
          ["missing", "error"],
          ["unset", "error"],
          ["off", "disabled"],
          ["wrong-type", "error"],
        ]);
      },
    );

    it(
      "share one process between two workspaces with the same definition, until the last workspace closes",
      { meta: { covers: ["R1.28", "R3.54"] } },
      async () => {
        const host = await open({});
        const [{ pid } = { pid: 0 }] = host.status();
        const guest = host.as("chat");
        const theirs = await guest.workspace({ cwd: process.cwd(), servers: { other: scriptedLegacy() } });
        expect(await theirs.servers.connect("other")).toMatchObject({ pid });
        await host.servers.disconnect("s");
        expect(isAlive(pid!)).toBe(true);
        await guest.close();
        expect(isAlive(pid!)).toBe(false);
      },
    );

    it("leave no process when the host is closed", { meta: { covers: ["R3.51", "R3.55", "R3.60"] } }, async () => {
      const host = await open({ servers: { a: scriptedLegacy(), b: scriptedLegacy("--pages=2") } });
      const pids = host.status().map(({ pid }) => pid!);
      expect(pids.every(isAlive)).toBe(true);
      await host.close();
      expect(pids.some(isAlive)).toBe(false);
    });

    it(
      "restart after a crash without repeating the crashed call",
      { meta: { covers: ["R1.24", "R2.108", "R4.3", "R0.74", "R2.123", "R3.50"] } },
      async () => {
        const host = await open({ permissions: { allow: ["*"] } });
        await expect(host.tools.call("s:crash", {})).rejects.toMatchObject({ code: "SERVER_CRASHED" });
        expect(host.status()).toMatchObject([
          {
            state: "connecting",
            tools: 0,
            lastError: { code: "SERVER_CRASHED" },
            retryAt: expect.any(Number) as number,
          },
        ]);
        expect(host.tools.list()).toEqual([]);
        // The names of the tools still resolve. A call waits until the server is back.
        expect(await host.tools.call("mcp__s__echo", { text: "hi" })).toEqual(echo);
        const [status] = host.status();
        expect(status).toMatchObject({ state: "ready", restarts: 1 });
        expect(status).not.toHaveProperty("lastError");
        expect(status).not.toHaveProperty("retryAt");
      },
    );
  });
});
