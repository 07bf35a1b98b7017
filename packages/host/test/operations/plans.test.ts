/** Tests who can use a planned change, and for how long. */
import { describe, expect, it } from "vitest";
import { Plans } from "#operations/plans.js";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const MINUTE = 60_000;

describe("Plans", { meta: { covers: ["S17"] } }, () => {
  function setUp() {
    const clock = new ManualClock();
    let count = 0;
    return { clock, plans: new Plans<string>({ clock, newId: () => `plan-${++count}` }) };
  }
  const notFound = expect.objectContaining({ code: "NOT_FOUND" }) as object;

  it("gives a plan only to the caller that made it", () => {
    const { plans } = setUp();
    const [one, other] = [{}, {}];
    const id = plans.add(one, "run evil");
    expect(plans.get(one, id)).toBe("run evil");
    expect(() => plans.get(other, id)).toThrow(notFound);
    expect(() => plans.get(one, "plan-2")).toThrow(notFound);
  });

  it("forgets a plan after ten minutes", () => {
    const { plans, clock } = setUp();
    const owner = {};
    const id = plans.add(owner, "x");
    clock.advance(10 * MINUTE - 1);
    expect(plans.get(owner, id)).toBe("x");
    clock.advance(1);
    expect(() => plans.get(owner, id)).toThrow(notFound);
  });

  it("applies a plan once, also if it is asked to twice at the same time", async () => {
    const { plans } = setUp();
    const owner = {};
    const id = plans.add(owner, "x");
    const first = plans.apply(owner, id, async (content) => `${content} is done`);
    await expect(plans.apply(owner, id, async () => "again")).rejects.toThrow(notFound);
    expect(await first).toBe("x is done");
    await expect(plans.apply(owner, id, async () => "again")).rejects.toThrow(notFound);
    expect(() => plans.get(owner, id)).toThrow(notFound);
  });

  it("keeps a plan that could not be applied", async () => {
    const { plans } = setUp();
    const owner = {};
    const id = plans.add(owner, "x");
    await expect(plans.apply(owner, id, () => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
    expect(await plans.apply(owner, id, async (content) => content)).toBe("x");
  });

  it("keeps the last 200 plans", () => {
    const { plans } = setUp();
    const owner = {};
    const ids = Array.from({ length: 201 }, (_, index) => plans.add(owner, `${index}`));
    expect(() => plans.get(owner, ids[0]!)).toThrow(notFound);
    expect(plans.get(owner, ids[1]!)).toBe("1");
    expect(plans.get(owner, ids[200]!)).toBe("200");
  });
});
