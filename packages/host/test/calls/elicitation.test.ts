/**
 * Tests tool calls that ask the user something, over stdio and HTTP, with servers of both eras: legacy (up to
 * 2025-11-25) and modern (2026-07-28).
 */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Answer, HostEvent, Question, ServerEntry } from "@plugboard/contracts";
import { createHost } from "@plugboard/host";
import type { AnswerPort, CreateHostOptions, EmbeddedHost } from "@plugboard/host";
import {
  asksFloodStdio,
  everythingStdio,
  modernStdio,
  scriptedLegacy,
  startEverythingHttp,
  startModernHttp,
} from "@plugboard/testkit/start-server";
import type { RunningServer } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

let everythingHttp: RunningServer;
let modernHttp: RunningServer;
beforeAll(async () => {
  [everythingHttp, modernHttp] = await Promise.all([startEverythingHttp(), startModernHttp()]);
});
afterAll(() => Promise.all([everythingHttp.close(), modernHttp.close()]));

interface Case {
  readonly name: string;
  readonly era: "legacy" | "modern";
  readonly entry: () => ServerEntry;
  readonly tool: string;
  readonly accepted: string;
  readonly declined: string;
}

const legacy = {
  era: "legacy",
  tool: "trigger-elicitation-request",
  accepted: "Name: Ann",
  declined: "declined",
} as const;
const modern = { era: "modern", tool: "ask_name", accepted: "hello Ann", declined: "declined" } as const;
const cases: Case[] = [
  { name: "legacy over stdio", entry: () => everythingStdio(), ...legacy },
  { name: "legacy over HTTP", entry: () => ({ url: everythingHttp.url }), ...legacy },
  { name: "modern over stdio", entry: () => modernStdio(), ...modern },
  { name: "modern over HTTP", entry: () => ({ url: modernHttp.url }), ...modern },
];

const isolated = { PATH: process.env["PATH"], HOME: process.env["HOME"], XDG_CONFIG_HOME: "/nonexistent" };

async function open(
  entry: ServerEntry,
  answer: AnswerPort,
  options: Partial<CreateHostOptions> = {},
): Promise<EmbeddedHost> {
  const host = await createHost({
    servers: { tested: entry },
    permissions: { allow: ["tested:*"] },
    env: isolated,
    ports: { answer },
    ...options,
  });
  onTestFinished(() => host.close());
  expect(await host.ready()).toEqual({ ready: ["tested"], errors: {} });
  return host;
}

const accept = (name: string): Answer => ({ type: "elicitation", action: "accept", content: { name } });
const textOf = (result: unknown) => JSON.stringify(result);

/** Collects events until one satisfies the condition. */
async function eventsUntil(host: EmbeddedHost, done: (event: HostEvent) => boolean): Promise<HostEvent[]> {
  const seen: HostEvent[] = [];
  for await (const event of host.events(0)) {
    seen.push(event);
    if (done(event)) return seen;
  }
  throw new Error("the events ended");
}

const nobody: AnswerPort = () => new Promise(() => {});

describe("elicitation", () => {
  describe.each(cases.map((one) => [one.name, one] as const))(
    "server (%s)",
    (_, { era, entry, tool, accepted, declined }) => {
      it("gets the answer of the answer port", async () => {
        const asked: Question[] = [];
        const host = await open(entry(), (question) => {
          asked.push(question);
          return Promise.resolve(accept("Ann"));
        });
        expect(host.status()).toMatchObject([{ id: "tested", state: "ready", era }]);
        expect(textOf(await host.tools.call(`tested:${tool}`, {}, { id: "own-id" }))).toContain(accepted);
        const about = { server: "tested", tool, call: "own-id" };
        expect(asked).toMatchObject([{ type: "elicitation", owner: host.api.caller, ...about }]);
      });

      it("gets `decline` when the answer declines", async () => {
        const host = await open(entry(), () => Promise.resolve({ type: "elicitation", action: "decline" }));
        expect(textOf(await host.tools.call({ server: "tested", tool }, {}))).toContain(declined);
      });

      it("stays usable after its call is cancelled, which withdraws its question", async () => {
        const abort = new AbortController();
        const withdrawn: boolean[] = [];
        const host = await open(entry(), async (_, signal) => {
          queueMicrotask(() => abort.abort());
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          withdrawn.push(true);
          return undefined;
        });
        await expect(host.tools.call(`tested:${tool}`, {}, { signal: abort.signal })).rejects.toMatchObject({
          code: "CANCELLED",
        });
        const events = await eventsUntil(host, ({ type }) => type === "question.settled");
        expect(events.at(-1)).toMatchObject({ settlement: { by: "withdrawn" } });
        expect(withdrawn).toEqual([true]);
        expect(await host.inbox.list()).toEqual([]);
        const [args, reply] = era === "legacy" ? [{ message: "on" }, "Echo: on"] : [{ text: "on" }, '"on"'];
        expect(textOf(await host.tools.call("tested:echo", args))).toContain(reply);
      });

      it("gets `cancel` at the deadline, and a later answer is refused", async () => {
        let late: Promise<unknown> | undefined;
        const host: EmbeddedHost = await open(
          entry(),
          async (question, signal) => {
            await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
            late = host.inbox.answer(question.id, accept("Ann")).catch((error: unknown) => error);
            return undefined;
          },
          { questionDeadlineMs: 100 },
        );
        expect(textOf(await host.tools.call(`tested:${tool}`, {}))).toMatch(/cancel/);
        const refusal = await late;
        expect(refusal).toBeInstanceOf(HostError);
        expect(refusal).toMatchObject({ code: "QUESTION_GONE" });
      });

      it("gets `cancel`, or fails the call in the modern era, if the program can't answer", async () => {
        const host = await createHost({
          servers: { tested: entry() },
          permissions: { allow: ["tested:*"] },
          env: isolated,
        });
        onTestFinished(() => host.close());
        await host.ready();
        const outcome = await host.tools.call(`tested:${tool}`, {}).catch((error: unknown) => error);
        if (era === "legacy") expect(textOf(outcome)).toMatch(/cancel/);
        else expect(outcome).toMatchObject({ code: "TOOL_EXECUTION_FAILED" });
        expect(await host.inbox.list()).toEqual([]);
      });
    },
  );

  describe("legacy server that does not wait for the answer", () => {
    it("has its question withdrawn when it finishes the call", async () => {
      const folder = await mkdtemp(join(tmpdir(), "plugboard-elicitation-"));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const when_exists = join(folder, "asked");
      const host = await open(scriptedLegacy(), async (_, signal) => {
        const withdrawn = once(signal, "abort");
        await writeFile(when_exists, "");
        await withdrawn;
        return undefined;
      });
      expect(textOf(await host.tools.call("tested:ask_and_finish", { when_exists }))).toContain("finished without you");
      const events = await eventsUntil(host, ({ type }) => type === "question.settled");
      expect(events.at(-1)).toMatchObject({ settlement: { by: "withdrawn" } });
    });

    it("fails the call and has its question withdrawn when it crashes", async () => {
      const host = await open(scriptedLegacy(), (_, signal) => {
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
      });
      await expect(host.tools.call("tested:ask_and_die", {})).rejects.toMatchObject({ code: "SERVER_CRASHED" });
      expect(await host.inbox.list()).toEqual([]);
    });
  });

  describe("legacy server that asks a thousand questions during a call", () => {
    it.each([
      ["all at once", 0],
      ["one first and all others later", 20],
    ])("has only a hundred questions open if it asks %s", async (_, pause) => {
      const host = await open(asksFloodStdio(), nobody);
      const abort = new AbortController();
      const call = host.tools.call("tested:ask", { count: 1000, pause }, { signal: abort.signal });
      let asked = 0;
      await eventsUntil(host, ({ type }) => type === "question.asked" && ++asked === 100);
      expect(await host.inbox.list()).toHaveLength(100);
      abort.abort();
      await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
    });
  });

  describe("request that names no call", () => {
    it("goes to the caller if all calls in flight are from that caller", async () => {
      const asked: Question[] = [];
      const host = await open(scriptedLegacy(), (question) => {
        asked.push(question);
        return Promise.resolve(accept("Ann"));
      });
      const held = host.tools.call("tested:hold", {});
      await eventsUntil(host, ({ type }) => type === "call.started");
      expect(textOf(await host.tools.call("tested:ask_while_held", {}))).toContain('\\"name\\":\\"Ann\\"');
      expect(asked).toMatchObject([{ type: "elicitation", owner: host.api.caller }]);
      expect(asked[0]).not.toHaveProperty("tool");
      expect(asked[0]!.call).toBeUndefined();
      await host.tools.call("tested:release", {});
      await held;
    });

    it("goes to the workspace if calls of two callers are in flight", async () => {
      const host = await open(scriptedLegacy(), nobody);
      const other = host.as("chat", { attended: true });
      const theirs = await other.workspace({
        cwd: ".",
        servers: { tested: scriptedLegacy() },
        permissions: { allow: ["*"] },
      });
      const held = theirs.tools.call("tested:hold", {});
      const holding = await eventsUntil(host, ({ type }) => type === "call.started");
      expect(holding.at(-1)).toMatchObject({ caller: { kind: "chat" } });

      const mine = host.tools.call("tested:ask_while_held", {});
      const events = await eventsUntil(host, ({ type }) => type === "question.asked");
      const { question } = events.at(-1) as Extract<HostEvent, { type: "question.asked" }>;
      expect(question).toMatchObject({ owner: "workspace", server: "tested" });

      expect(await theirs.inbox.list()).toEqual([]);
      await expect(theirs.inbox.answer(question.id, accept("Eve"))).rejects.toMatchObject({
        code: "QUESTION_NOT_YOURS",
      });
      await host.inbox.answer(question.id, accept("Ann"));
      expect(textOf(await mine)).toContain('\\"name\\":\\"Ann\\"');
      await theirs.tools.call("tested:release", {});
      await held;
      await other.close();
    });
  });
});
