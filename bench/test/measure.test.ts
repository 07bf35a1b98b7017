import { expect, it } from "vitest";
import { BENCHMARKS } from "../benchmarks.mjs";
import { measure } from "../measure.mjs";
import { checkText, checkTools } from "../workloads/workload.mjs";

/** Peers need an install of their own; the many servers of one are tried with the one server of another. */
const tried = BENCHMARKS.filter(({ name }) => name !== "connect-30").map((benchmark) => ({
  ...benchmark,
  contestants: ["raw", "plugboard"],
  warmups: 0,
}));

it.each(tried)("$name runs", async (benchmark) => {
  const measured = await measure(benchmark, { seed: 1, rounds: 1 });
  expect(measured.map(({ contestant }) => contestant)).toEqual(["raw", "plugboard"]);
  for (const { samples } of measured) {
    expect(samples).toHaveLength(1);
    expect(samples[0]).toBeGreaterThan(0);
  }
});

it("a wrong answer ends the run", () => {
  const right = { content: [{ type: "text", text: "call 1" }] };
  expect(() => checkText(right, "call 1")).not.toThrow();
  expect(() => checkText(right, "call 2")).toThrow("a wrong answer");
  expect(() => checkText({ type: "failed" }, "call 1")).toThrow("a wrong answer");
  const client = { tools: [{ name: "echo" }], call: async () => right, close: async () => {} };
  expect(() => checkTools(client)).toThrow("wrong tools: echo");
});
