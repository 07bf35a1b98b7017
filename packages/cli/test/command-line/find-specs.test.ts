/** Tests which specs a command line loads. */
import { describe, expect, it } from "vitest";
import { findCommand } from "#command-line/find-command.js";
import { COMMANDS } from "#specs/commands.js";
import { findSpecs } from "#specs/find-specs.js";

describe("findSpecs", () => {
  it.each(COMMANDS.map(({ name }) => name))(
    "finds the same command as in the list of all commands: %s",
    async (name) => {
      for (const words of [name.split(" "), ["mcp", ...name.split(" "), "x"]]) {
        const found = findCommand(words, await findSpecs(words));
        expect(found).toEqual(findCommand(words, COMMANDS));
      }
    },
  );

  it("loads only some specs for a call, and all for an unknown command", async () => {
    expect((await findSpecs(["call", "a:b"])).length).toBeLessThan(COMMANDS.length);
    expect(await findSpecs(["cal"])).toBe(COMMANDS);
  });
});
