/** Tests that schemas and data that may block are checked in a thread, for a limited time. */
import { setImmediate as turn } from "node:timers/promises";
import type { Json, JsonObject, Tool, Clock } from "@plugboard/contracts";
import { systemClock } from "@plugboard/contracts";
import { CheckThread } from "#calls/schemas/check-thread.js";
import { SchemaChecks } from "#calls/schemas/schema-checks.js";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";

/** An attack that succeeds blocks for many seconds. A loaded machine causes far shorter blocks than this. */
const NOTICEABLE_MS = 1_000;

const tool = (inputSchema: JsonObject): Tool => ({ name: "t", inputSchema });
const property = (schema: JsonObject): Tool => tool({ type: "object", properties: { a: schema } });
const ordinary = property({ type: "string" });
const tree = tool({
  type: "object",
  properties: { name: { type: "string" }, kids: { type: "array", items: { $ref: "#" } } },
  required: ["name"],
});
/** A pattern that takes exponential time on texts like `bait`. */
const redos = property({ type: "string", pattern: "^(a+)+$" });
const bait = { a: `${"a".repeat(60)}!` };

let checks: SchemaChecks;
let timeouts: number;

beforeEach(async () => {
  timeouts = 0;
  const clock: Clock = {
    ...systemClock,
    after: (ms, run, options) => systemClock.after(ms, () => (timeouts++, run()), options),
  };
  checks = new SchemaChecks({ clock });
  // Invalid arguments make it load Ajv.
  await checks.arguments(ordinary, { a: 1 });
});
afterEach(() => checks.close());

/** Returns the longest time for which the event loop was blocked. */
async function longestBlock(run: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  // Waits for one more measurement, because only that shows an earlier block.
  const measured = async () => {
    for (const { count } = delay; delay.count === count;) await turn();
  };
  await measured();
  await run();
  await measured();
  delay.disable();
  return delay.max / 1e6;
}

/** Each level refers twice to the next, so an error at the last level is found 2^28 times. */
function bomb(keyword: string): Tool {
  const level = (at: number): JsonObject => ({ $ref: `#/$defs/d${at}` });
  const levels = Array.from(
    { length: 28 },
    (_, index) => [`d${index}`, { [keyword]: [level(index + 1), level(index + 1)] }] as const,
  );
  return tool({ ...level(0), $defs: { ...Object.fromEntries(levels), d28: { type: "object", required: ["none"] } } });
}

/** Objects that differ only deep inside, so that comparing each with all others is slow. */
const alike: Json[] = Array.from({ length: 20_000 }, (_, index) => ({
  a: [1, 2, 3, 4, 5, 6, 7, 8, { at: index }],
  b: "same",
}));

describe("schema check in a thread", () => {
  it.each<[string, Tool, JsonObject]>([
    ["a pattern that takes exponential time", redos, bait],
    ["property names with an exponential pattern", tool({ patternProperties: { "^(a+)+$": {} } }), { [bait.a]: 1 }],
    ["a pattern that takes quadratic time", property({ pattern: "\\s+$" }), { a: `${" ".repeat(500_000)}!` }],
    ["an anyOf with 2^28 errors", bomb("anyOf"), {}],
    ["a oneOf with 2^28 errors", bomb("oneOf"), {}],
    ["many unique objects", property({ type: "array", uniqueItems: true }), { a: alike }],
  ])(
    "ends the check of %s without blocking the main thread",
    { meta: { covers: ["A9"] } },
    async (_, hostile, args) => {
      let meanwhile: unknown;
      const block = await longestBlock(async () => {
        const verdict = checks.arguments(hostile, args);
        meanwhile = checks.arguments(ordinary, { a: 1 });
        // On a fast machine, the thread may run out of memory before it runs out of time.
        expect(await verdict).toEqual({ ok: true, unchecked: expect.stringMatching(/longer than 250 ms|fails/) });
      });
      expect(block).toBeLessThan(NOTICEABLE_MS);
      expect(meanwhile).toMatchObject({ ok: false });
      expect(checks.arguments(hostile, args)).toMatchObject({ ok: true, unchecked: expect.any(String) });
    },
  );

  it("runs checks that were queued behind a hostile schema in a new thread", { meta: { covers: ["A9"] } }, async () => {
    const hostile = checks.arguments(redos, bait);
    const fits = checks.arguments(tree, { name: "root", kids: [{ name: "kid" }] });
    const not = checks.arguments(tree, { name: "root", kids: [{ name: "kid", kids: [{}] }] });
    expect(await hostile).toMatchObject({ unchecked: expect.stringMatching(/longer/) });
    expect(await fits).toEqual({ ok: true });
    expect(await not).toEqual({ ok: false, problems: [{ path: "kids[0].kids[0].name", message: "is missing" }] });
  });

  it("ends the thread once for a hostile schema, however many calls wait", { meta: { covers: ["A9"] } }, async () => {
    const verdicts = await Promise.all(Array.from({ length: 20 }, async () => checks.arguments(redos, bait)));
    expect(verdicts.every((verdict) => verdict.ok && verdict.unchecked)).toBe(true);
    expect(timeouts).toBe(1);
  });

  it("reports an endlessly recursive schema as unusable", { meta: { covers: ["A9"] } }, async () => {
    const endless = tool({ allOf: [{ $ref: "#" }] });
    expect(await checks.arguments(endless, {})).toMatchObject({ ok: true, unchecked: expect.any(String) });
    expect(await checks.arguments(tree, {})).toMatchObject({ ok: false });
  });

  it("reports a schema that compiles too slowly as unusable", { meta: { covers: ["A9"] } }, async () => {
    // Ajv compiles a target once per reference: 90 000 parts from a short schema.
    const many = (part: JsonObject) => Array.from({ length: 300 }, () => part);
    const part = { anyOf: many({ required: ["x"], properties: { x: { maxLength: 3 } } }) };
    const wide = tool({ anyOf: many({ $ref: "#/$defs/part" }), $defs: { part } });
    const block = await longestBlock(async () => {
      expect(await checks.arguments(wide, {})).toEqual({
        ok: true,
        unchecked: "compiling it takes longer than 1000 ms",
      });
    });
    expect(block).toBeLessThan(NOTICEABLE_MS);
  });

  it(
    "reports a schema that exhausts the memory as unusable, and checks the next one",
    { meta: { covers: ["A16"] } },
    async () => {
      // There is no time limit here, so the thread runs out of memory.
      const clock: Clock = { ...systemClock, after: () => () => {} };
      const thread = new CheckThread(clock, { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 });
      onTestFinished(() => thread.close());
      const job = ({ inputSchema }: Tool, value: Json) => ({
        key: JSON.stringify(inputSchema).slice(0, 100),
        schema: JSON.stringify(inputSchema),
        value: JSON.stringify(value),
      });
      const hostile = thread.check(job(bomb("anyOf"), {}));
      const next = thread.check(job(tree, { name: "root" }));
      expect(await hostile).toEqual({ unusable: "the check failed (Error)" });
      expect(await next).toEqual({ problems: undefined });
    },
  );

  it("remembers a hostile schema when the tool is listed again", { meta: { covers: ["A9"] } }, async () => {
    await checks.arguments(redos, bait);
    expect(checks.arguments(structuredClone(redos), bait)).toMatchObject({ ok: true, unchecked: expect.any(String) });
  });

  it("still applies a pattern that might block", async () => {
    expect(await checks.arguments(redos, { a: "aaa" })).toEqual({ ok: true });
    expect(await checks.arguments(redos, { a: "b" })).toEqual({
      ok: false,
      problems: [{ path: "a", message: "must match the pattern ^(a+)+$" }],
    });
  });

  it("checks large data in the thread", async () => {
    const numbers = property({ type: "array", items: { type: "number" } });
    const many: Json[] = Array.from({ length: 300_000 }, () => 1);
    expect(await checks.arguments(numbers, { a: many })).toEqual({ ok: true });
    expect(await checks.arguments(numbers, { a: [...many, "x"] })).toEqual({
      ok: false,
      problems: [{ path: "a[300000]", message: "must be a number, but is a string" }],
    });
    expect(checks.arguments(numbers, { a: ["x"] })).toMatchObject({ ok: false });
  });

  it("checks a long text in the main thread if its length does not matter", () => {
    expect(checks.arguments(ordinary, { a: "x".repeat(5_000_000) })).toEqual({ ok: true });
  });

  it("skips data beyond the size limit, and checks the next value", async () => {
    const short = property({ type: "string", maxLength: 5 });
    const huge = "x".repeat(11 * 1024 * 1024);
    expect(await checks.arguments(short, { a: huge })).toMatchObject({
      ok: true,
      unchecked: expect.stringMatching(/larger than/),
    });
    expect(checks.arguments(short, { a: "longer" })).toMatchObject({ ok: false });
  });

  it.each([
    ["1001", 1_001],
    ["100 000", 100_000],
  ])("rejects arguments that are nested %s levels deep", { meta: { covers: ["F22"] } }, async (_, levels) => {
    let deep: Json = "x";
    for (let level = 1; level < levels; level++) deep = [deep];
    expect(await checks.arguments(property({}), { a: deep })).toEqual({
      ok: false,
      problems: [{ path: "", message: "is nested more than 1000 deep" }],
    });
  });

  it("rejects arguments that can't be serialized", async () => {
    const cyclic: JsonObject = {};
    cyclic["a"] = cyclic;
    expect(await checks.arguments(ordinary, { a: cyclic })).toMatchObject({ ok: false });
  });

  it("fails waiting checks with HOST_CLOSED when it is closed", async () => {
    const running = checks.arguments(redos, bait);
    const waiting = checks.arguments(tree, {});
    const outcomes = Promise.allSettled([running, waiting]);
    await checks.close();
    const closed = { status: "rejected", reason: expect.objectContaining({ code: "HOST_CLOSED" }) };
    expect(await outcomes).toEqual([closed, closed]);
    await expect(checks.arguments(tree, {})).rejects.toMatchObject({ code: "HOST_CLOSED" });
  });

  it("does not keep an idle process alive", async () => {
    const ports = () => process.getActiveResourcesInfo().filter((resource) => resource === "MessagePort").length;
    const before = ports();
    const verdict = checks.arguments(tree, {});
    expect(ports()).toBeGreaterThan(before);
    await verdict;
    expect(ports()).toBe(before);
  });
});
