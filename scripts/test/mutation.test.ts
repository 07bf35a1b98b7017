/** Tests how the mutation run finds, chooses and makes its changes, and which tests it runs for them. */
import { describe, expect, it } from "vitest";
import { orderSites } from "../mutation/choose-sites.mjs";
import { applyChange, findSites } from "../mutation/find-sites.mjs";
import { insertProbes, readReached } from "../mutation/probes.mjs";
import { renderReport } from "../mutation/report.mjs";
import { testSteps } from "../mutation/test-order.mjs";

const changes = (source: string, file = "packages/x/src/a.ts") =>
  findSites(file, source).map((site) => applyChange(source, site));

describe("findSites", () => {
  it("negates the conditions of if, while and ?:, and the left side of && and ||", () => {
    expect(changes("if (a > b) c = a;")).toEqual(["if (!(a > b)) c = a;"]);
    expect(changes("while (!done) x = y;")).toEqual(["while ((done)) x = y;"]);
    expect(changes("const x = a ? b : c;")).toEqual(["const x = !(a) ? b : c;"]);
    expect(changes("const x = a && b;")).toEqual(["const x = !(a) && b;"]);
    expect(changes("const x = a ?? b;")).toEqual([]);
  });

  it("drops calls that are statements, also awaited calls", () => {
    expect(changes("check(a);")).toEqual(["{}"]);
    expect(changes("async () => { await this.#stop(); };")).toEqual(["async () => { {} };"]);
    expect(changes("void a?.close();")).toEqual(["{}"]);
    expect(changes("class A extends B { constructor() { super(); } }")).toEqual([]);
  });

  it("changes numbers, booleans and strings that are no messages", () => {
    expect(changes("const x = 0;")).toEqual(["const x = 1;"]);
    expect(changes("const x = 1_000;")).toEqual(["const x = 2000;"]);
    expect(changes("const x = { on: true };")).toEqual(["const x = { on: false };"]);
    expect(changes('const x = a === "mcp/list";')).toEqual(['const x = a === "mcp/list~";']);
    expect(changes('const x = "The server has ended.";')).toEqual([]);
  });

  it.each([
    ["imports", 'import { a } from "b"; export * from "c"; const d = import("e");'],
    ["types", 'type A = "x" | 5; let b: Record<"k", true>; interface C { readonly d: "e" }'],
    ["names of properties", 'const a = { "b-c": d };'],
    ["whatever is thrown", 'throw new Problem("CODE", { limit: 5, on: a ? b : c });'],
    ["errors", 'const a = new HostError("CODE", { limit: 5 });'],
    ["logs", 'log("started", 5); this.#logger.warn("x");'],
    ["listeners that hear a signal once", "const a = on(b, c, { once: true });"],
    ["strings that Node rejects", 'const a = read("utf8"), b = hash("sha256");'],
  ])("leaves out %s", (_name, source) => {
    expect(changes(source)).toEqual([]);
  });

  it("leaves out the attributes of elements, but not their conditions", () => {
    const source = 'const a = open && <p className="x">{text}</p>;';
    expect(changes(source, "packages/web/src/apps/a.tsx")).toEqual([
      'const a = !(open) && <p className="x">{text}</p>;',
    ]);
  });

  it("names the line of each site", () => {
    expect(findSites("a.ts", "\n\nrun();\n")).toMatchObject([{ file: "a.ts", line: 3, kind: "dropped call" }]);
  });
});

describe("applyChange", () => {
  it("throws if the source has changed", () => {
    const [site] = findSites("a.ts", "run();");
    expect(() => applyChange("end();", site!)).toThrow("The source has no");
  });
});

describe("orderSites", () => {
  const sites = findSites("a.ts", Array.from({ length: 50 }, (_, n) => `if (a${n}) run(${n});`).join("\n"));

  it("gives the same order for the same seed, and a different order for another seed", () => {
    const order = (seed: string) => orderSites(sites, seed).map(({ start }) => start);
    expect(order("one")).toEqual(order("one"));
    expect(order("one")).not.toEqual(order("two"));
    expect(orderSites(sites.toReversed(), "one")).toEqual(orderSites(sites, "one"));
  });

  it("takes the kinds in turns, and each line once", () => {
    const ordered = orderSites(sites, "one");
    expect(ordered.slice(0, 4).map(({ kind }) => kind)).toEqual([
      "negated condition",
      "dropped call",
      "changed constant",
      "negated condition",
    ]);
    expect(new Set(ordered.map(({ line }) => line)).size).toBe(ordered.length);
  });
});

describe("insertProbes", () => {
  it("does not change the behaviour of the source, and calls the probe of each site before it", () => {
    const source = "if (a > b)\n  run(\n5);\n";
    const probed = findSites("a.ts", source).map((site, number) => ({ site, number }));
    const [text] = insertProbes(source, probed, "/tmp/x").split("\nimport ");
    expect(text).toBe("if ((__reached(0), a > b))\n  { __reached(1); run(\n(__reached(2), 5)); }\n");
  });

  it("writes lines that readReached reads", () => {
    const reached = readReached("3 packages/a/test/x.test.ts\n3 *\n5 *\n");
    expect([...reached]).toEqual([
      [3, new Set(["packages/a/test/x.test.ts", "*"])],
      [5, new Set(["*"])],
    ]);
  });
});

describe("testSteps", () => {
  const site = { ...findSites("packages/daemon/src/http/rate-limiter.ts", "run();")[0]! };
  const tests = [
    { file: "packages/cli/test/command.test.ts", seconds: 1 },
    { file: "packages/daemon/test/page/page.test.ts", seconds: 1 },
    { file: "packages/daemon/test/http/slow.test.ts", seconds: 9 },
    { file: "packages/daemon/test/http/rate-limiter.test.ts", seconds: 2 },
    { file: "packages/daemon/test/http/other.test.ts", seconds: 1 },
  ];
  const names = (steps: { file: string }[][]) => steps.map((step) => step.map(({ file }) => file.replace(/^.*\//, "")));

  it("runs the test of the same name, then those of the folder, of the package and of other packages, each group with the fast ones first", () => {
    const reachedBy = new Set(tests.map(({ file }) => file).filter((file) => !file.includes("other")));
    expect(names(testSteps(site, tests, reachedBy))).toEqual([
      ["rate-limiter.test.ts"],
      ["slow.test.ts"],
      ["page.test.ts"],
      ["command.test.ts"],
    ]);
  });

  it("runs nothing for a line that no test reaches, and everything if a process of unknown origin reaches it", () => {
    expect(testSteps(site, tests, undefined)).toEqual([]);
    expect(testSteps(site, tests, new Set(["*"])).flat()).toHaveLength(tests.length);
  });
});

describe("renderReport", () => {
  it("names the seed and the survivors", () => {
    const [site] = findSites("packages/x/src/a.ts", "\nrun();");
    const result = { site: site!, seconds: 3, testFiles: 2 };
    const text = renderReport({
      ...{ seed: "s1", commit: "c1", folders: ["packages/x/src"], count: 2, leftOut: [] },
      results: [
        { ...result, noticedBy: null },
        { ...result, noticedBy: "x.test.ts" },
      ],
    });
    expect(text).toContain("Commit c1, seed s1");
    expect(text).toContain("1 of 2 changes were noticed.");
    expect(text).toContain("- packages/x/src/a.ts:2: dropped call, `run();` (2 test files pass)");
  });
});
