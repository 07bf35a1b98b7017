/** Tests what the gateway declares to its clients about the servers behind it. */
import type { ForwardedServer } from "@plugboard/host/forwarding";
import type { ServerCapabilities } from "@plugboard/mcp";
import { frontCapabilities } from "#fronts/capabilities.js";
import { joinedInstructions } from "#fronts/instructions.js";
import { expect, it } from "vitest";

const server = (id: string, capabilities?: Partial<ServerCapabilities>, instructions?: string) =>
  ({
    id,
    share: "all",
    ...(capabilities && { capabilities }),
    ...(instructions && { instructions }),
  }) as ForwardedServer;

it("frontCapabilities offers all lists and their changes, even if no server has them", () => {
  expect(frontCapabilities(() => [])).toEqual({
    ...{ tools: true, resources: true, prompts: true, completion: true, logging: true, subscribe: true },
    ...{ tasks: false, extensions: undefined, listChanged: { tools: true, resources: true, prompts: true } },
  });
});

it("frontCapabilities has the tasks and extensions of all servers, and each setting from the first server that has it", () => {
  const servers = [
    server("starting"),
    server("a", { extensions: { "x/notes": { max: 1 } } }),
    server("b", { tasks: true, extensions: { "x/notes": { max: 2, min: 0 }, "x/other": {} } }),
  ];
  const extensions = { "x/notes": { max: 1, min: 0 }, "x/other": {} };
  expect(frontCapabilities(() => servers)).toMatchObject({ tasks: true, extensions });
});

it("joinedInstructions puts the name of each server above its instructions, and skips servers without any", () => {
  const servers = [
    server("a", undefined, " Use a. \n"),
    server("b"),
    server("c", undefined, " "),
    server("d", {}, "D."),
  ];
  expect(joinedInstructions(servers)).toBe("# a\n\nUse a.\n\n# d\n\nD.");
  expect(joinedInstructions([server("b")])).toBeUndefined();
});
