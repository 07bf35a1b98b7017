import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isProtected } from "#files/protected-paths.js";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../helpers/run-child.ts";

let folder: string;
let locations: { configFiles: string[]; stateFolder: string };
const pathTo = (...names: string[]) => join(folder, ...names);
beforeEach(async () => {
  folder = await temporaryFolder();
  locations = {
    configFiles: [pathTo("etc", "config.json"), pathTo("project", ".plugboard", "config.json")],
    stateFolder: pathTo("state"),
  };
  for (const name of ["etc", "state", "project", "dotfiles"]) await mkdir(pathTo(name));
  await writeFile(pathTo("dotfiles", "real.json"), "{}");
  await writeFile(pathTo("state", "trust.json"), "{}");
  await symlink(pathTo("dotfiles", "real.json"), pathTo("etc", "config.json"));
});

describe("isProtected", () => {
  it.each([
    ["a config file", ["etc", "config.json"]],
    ["the target of a linked config file", ["dotfiles", "real.json"]],
    ["a config file whose folder does not exist yet", ["project", ".plugboard", "config.json"]],
    ["a config file in another case", ["project", ".Plugboard", "CONFIG.json"]],
    ["a config file whose path contains ..", ["project", "..", "etc", "config.json"]],
    ["the state folder", ["state"]],
    ["a file in the state folder", ["state", "trust.json"]],
    ["a missing file in the state folder", ["state", "a", "b"]],
    ["a path with a NUL character", ["etc", "config.json\0.txt"]],
  ])("returns true for %s", async (_, names) => {
    expect(await isProtected([folder, ...names].join("/"), locations)).toBe(true);
  });

  it.each<[string, string[], string[]]>([
    ["a link to a config file", ["dotfiles", "real.json"], ["project", "link"]],
    ["a link to a link", ["etc", "config.json"], ["project", "link"]],
    ["a link to a config file that does not exist yet", ["project", ".plugboard", "config.json"], ["project", "link"]],
    ["a link to a missing file in the state folder", ["state", "new"], ["project", "link"]],
  ])("returns true for %s", async (_, target, name) => {
    await symlink(pathTo(...target), pathTo(...name));
    expect(await isProtected(pathTo(...name), locations)).toBe(true);
  });

  it("returns true for a path behind a link to a folder", async () => {
    await symlink(pathTo("state"), pathTo("project", "out"));
    await symlink("../etc", pathTo("project", "in"));
    expect(await isProtected(pathTo("project", "out", "x", "y"), locations)).toBe(true);
    expect(await isProtected(pathTo("project", "in", "config.json"), locations)).toBe(true);
  });

  it("returns true for a path if the protected locations are given by links", async () => {
    await symlink(folder, pathTo("project", "all"));
    const byLink = {
      configFiles: [pathTo("project", "all", "project", ".plugboard", "config.json")],
      stateFolder: pathTo("project", "all", "state"),
    };
    expect(await isProtected(pathTo("project", ".plugboard", "config.json"), byLink)).toBe(true);
    expect(await isProtected(pathTo("state", "x"), byLink)).toBe(true);
  });

  it("returns true for a hard link to a config file", async () => {
    await link(pathTo("dotfiles", "real.json"), pathTo("project", "twin"));
    expect(await isProtected(pathTo("project", "twin"), locations)).toBe(true);
  });

  it("returns true for a cycle of links, which can't be resolved", async () => {
    await symlink(pathTo("project", "b"), pathTo("project", "a"));
    await symlink(pathTo("project", "a"), pathTo("project", "b"));
    expect(await isProtected(pathTo("project", "a"), locations)).toBe(true);
  });

  it.each([
    ["a sibling of a config file", ["dotfiles", "other.json"]],
    ["a folder whose name starts with that of the state folder", ["state-of-things"]],
    ["the folder of a config file", ["etc"]],
    ["the folder of a project", ["project"]],
    ["a missing file", ["project", "src", "new.ts"]],
  ])("returns false for %s", async (_, names) => {
    expect(await isProtected(pathTo(...names), locations)).toBe(false);
  });
});
