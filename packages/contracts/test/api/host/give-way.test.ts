import { findEntryToGive, findOldestOfLargest } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

/** Each entry is its principal and a number, such as `ann 1`. An entry in use ends with `!`. */
const byName = {
  principalOf: (entry: string) => entry.split(" ")[0]!,
  inUse: (entry: string) => entry.endsWith("!"),
};
const give = (entries: string[], newcomer: string) => findEntryToGive(entries, newcomer, byName);

describe("findEntryToGive", { meta: { covers: ["S33"] } }, () => {
  it.each<[string, string[], string, string | undefined]>([
    ["the oldest entry of the principal that holds most", ["ann 1", "bob 1", "bob 2"], "cyd", "bob 1"],
    ["the oldest unused entry if older ones are in use", ["bob 1!", "bob 2", "bob 3"], "cyd", "bob 2"],
    ["the oldest entry if all are in use", ["bob 1!", "bob 2!"], "cyd", "bob 1!"],
    ["nothing to the principal that holds most", ["ann 1", "bob 1", "bob 2"], "bob", undefined],
    ["nothing to a principal that would then hold more than the others", ["ann 1", "bob 1", "bob 2"], "ann", undefined],
    ["nothing to a newcomer if every principal holds only one entry", ["ann 1", "bob 1"], "cyd", undefined],
    ["an entry to the owner, even if its principal holds no other", ["ann 1!", "owner 1"], "owner", "ann 1!"],
    ["no entry of the owner to others", ["owner 1", "owner 2", "owner 3", "bob 1"], "cyd", undefined],
    ["no entry of the owner to the owner", ["owner 1", "owner 2"], "owner", undefined],
  ])("returns %s", (_, entries, newcomer, given) => {
    expect(give(entries, newcomer)).toBe(given);
  });

  it("never leaves a principal with fewer entries than the newcomer has", () => {
    const entries = ["ann 1", "ann 2", "ann 3", "ann 4"];
    for (let number = 1; ; number++) {
      const given = give(entries, "bob");
      if (given === undefined) break;
      entries.splice(entries.indexOf(given), 1, `bob ${number}`);
    }
    expect(entries.filter((entry) => entry.startsWith("ann"))).toHaveLength(2);
  });
});

it("findOldestOfLargest returns the oldest entry of the principal that holds most, even if it is the owner", () => {
  expect(findOldestOfLargest(["ann 1", "owner 1", "owner 2"], byName.principalOf)).toBe("owner 1");
  expect(findOldestOfLargest([], byName.principalOf)).toBeUndefined();
});
