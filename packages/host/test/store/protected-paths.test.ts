import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isProtected } from "#store/protected-paths.js";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../helpers/run-child.ts";

let folder: string;
let places: { configFiles: string[]; stateFolder: string };
const at = (...names: string[]) => join(folder, ...names);
beforeEach(async () => {
  folder = await temporaryFolder();
  places = {
    configFiles: [at("etc", "config.json"), at("project", ".plugboard", "config.json")],
    stateFolder: at("state"),
  };
  for (const name of ["etc", "state", "project", "dotfiles"]) await mkdir(at(name));
  await writeFile(at("dotfiles", "real.json"), "{}");
  await writeFile(at("state", "trust.json"), "{}");
  await symlink(at("dotfiles", "real.json"), at("etc", "config.json"));
});

describe("isProtected", () => {
  it.each([
    ["a config file", ["etc", "config.json"]],
    ["the target of a linked config file", ["dotfiles", "real.json"]],
    ["a config file whose folder does not exist yet", ["project", ".plugboard", "config.json"]],
    ["a config file in another case", ["project", ".Plugboard", "CONFIG.json"]],
    ["a config file through a parent folder", ["project", "..", "etc", "config.json"]],
    ["the state folder", ["state"]],
    ["a file in the state folder", ["state", "trust.json"]],
    ["a missing file in the state folder", ["state", "a", "b"]],
    ["an invalid path", ["etc", "config.json\0.txt"]],
  ])("returns true for %s", async (_, names) => {
    expect(await isProtected([folder, ...names].join("/"), places)).toBe(true);
  });

  it.each<[string, string[], string[]]>([
    ["a link to a config file", ["dotfiles", "real.json"], ["project", "link"]],
    ["a link to a link", ["etc", "config.json"], ["project", "link"]],
    ["a link to a config file that does not exist yet", ["project", ".plugboard", "config.json"], ["project", "link"]],
    ["a link to a missing file in the state folder", ["state", "new"], ["project", "link"]],
  ])("returns true for %s", async (_, target, name) => {
    await symlink(at(...target), at(...name));
    expect(await isProtected(at(...name), places)).toBe(true);
  });

  it("returns true for a path behind a link to a folder", async () => {
    await symlink(at("state"), at("project", "out"));
    await symlink("../etc", at("project", "in"));
    expect(await isProtected(at("project", "out", "x", "y"), places)).toBe(true);
    expect(await isProtected(at("project", "in", "config.json"), places)).toBe(true);
  });

  it("returns true for a path if the protected locations are links themselves", async () => {
    await symlink(folder, at("project", "all"));
    const byLink = {
      configFiles: [at("project", "all", "project", ".plugboard", "config.json")],
      stateFolder: at("project", "all", "state"),
    };
    expect(await isProtected(at("project", ".plugboard", "config.json"), byLink)).toBe(true);
    expect(await isProtected(at("state", "x"), byLink)).toBe(true);
  });

  it("returns true for a hard link to a config file", async () => {
    await link(at("dotfiles", "real.json"), at("project", "twin"));
    expect(await isProtected(at("project", "twin"), places)).toBe(true);
  });

  it("returns true for a path that can't be resolved", async () => {
    await symlink(at("project", "b"), at("project", "a"));
    await symlink(at("project", "a"), at("project", "b"));
    expect(await isProtected(at("project", "a"), places)).toBe(true);
  });
});

it.each([
  ["a sibling of a config file", ["dotfiles", "other.json"]],
  ["a path with the same prefix", ["state-of-things"]],
  ["the folder of a config file", ["etc"]],
  ["a project", ["project"]],
  ["a missing file", ["project", "src", "new.ts"]],
])("returns false for %s", async (_, names) => {
  expect(await isProtected(at(...names), places)).toBe(false);
});
