import type { ImportableServer } from "@plugboard/contracts";
import { chooseAll, chooseServer } from "#views/servers/add/import-choice.js";
import { describe, expect, it } from "vitest";

const server = (key: string, id: string, rest: Partial<ImportableServer> = {}): ImportableServer => ({
  key,
  id,
  scope: "user",
  enabled: true,
  action: "add",
  entry: {},
  target: "/config.json",
  notes: [],
  secrets: [],
  ...rest,
});

const files = server("0", "files");
const ofCursor = server("1", "github");
const ofCodex = server("2", "github");
const ofProject = server("3", "github", { target: "/project.json" });
const same = server("4", "same", { action: "none" });
const all = [files, ofCursor, ofCodex, ofProject, same];

describe("the choice of servers to import", () => {
  it("contains only one of two servers with the same id that would be written to the same file", () => {
    const first = chooseServer(new Set(["0", "3"]), ofCursor, all);
    expect([...first]).toEqual(["0", "3", "1"]);
    expect([...chooseServer(first, ofCodex, all)]).toEqual(["0", "3", "2"]);
  });

  it("leaves out existing servers and the second of two with the same id when all are selected", () => {
    expect([...chooseAll(new Set(), all)]).toEqual(["0", "1", "3"]);
  });

  it("keeps the chosen server of two with the same id when all are selected", () => {
    expect([...chooseAll(new Set(["2"]), all)].toSorted()).toEqual(["0", "2", "3"]);
  });
});
