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

describe("protected is", () => {
  it.each([
    ["a config file", ["etc", "config.json"]],
    ["what it leads to", ["dotfiles", "real.json"]],
    ["one that is not there yet, nor its folder", ["project", ".plugboard", "config.json"]],
    ["one in another case", ["project", ".Plugboard", "CONFIG.json"]],
    ["one by a way round", ["project", "..", "etc", "config.json"]],
    ["the state folder", ["state"]],
    ["what is in it", ["state", "trust.json"]],
    ["what is not in it yet", ["state", "a", "b"]],
    ["what can't be a path", ["etc", "config.json\0.txt"]],
  ])("%s", async (_, names) => {
    expect(await isProtected([folder, ...names].join("/"), places)).toBe(true);
  });

  it.each<[string, string[], string[]]>([
    ["a link to a config file", ["dotfiles", "real.json"], ["project", "link"]],
    ["a link to a link", ["etc", "config.json"], ["project", "link"]],
    ["a link to one that is not there yet", ["project", ".plugboard", "config.json"], ["project", "link"]],
    ["a link to what is not in the state folder yet", ["state", "new"], ["project", "link"]],
  ])("%s", async (_, target, name) => {
    await symlink(at(...target), at(...name));
    expect(await isProtected(at(...name), places)).toBe(true);
  });

  it("what is behind a link to a folder", async () => {
    await symlink(at("state"), at("project", "out"));
    await symlink("../etc", at("project", "in"));
    expect(await isProtected(at("project", "out", "x", "y"), places)).toBe(true);
    expect(await isProtected(at("project", "in", "config.json"), places)).toBe(true);
  });

  it("what is reached when the places are themselves known by links", async () => {
    await symlink(folder, at("project", "all"));
    const byLink = {
      configFiles: [at("project", "all", "project", ".plugboard", "config.json")],
      stateFolder: at("project", "all", "state"),
    };
    expect(await isProtected(at("project", ".plugboard", "config.json"), byLink)).toBe(true);
    expect(await isProtected(at("state", "x"), byLink)).toBe(true);
  });

  it("a second name of the same file", async () => {
    await link(at("dotfiles", "real.json"), at("project", "twin"));
    expect(await isProtected(at("project", "twin"), places)).toBe(true);
  });

  it("what can't be followed to its end", async () => {
    await symlink(at("project", "b"), at("project", "a"));
    await symlink(at("project", "a"), at("project", "b"));
    expect(await isProtected(at("project", "a"), places)).toBe(true);
  });
});

it.each([
  ["a file beside", ["dotfiles", "other.json"]],
  ["a name that begins alike", ["state-of-things"]],
  ["the folder of a config file", ["etc"]],
  ["a project", ["project"]],
  ["what is not there", ["project", "src", "new.ts"]],
])("%s is not protected", async (_, names) => {
  expect(await isProtected(at(...names), places)).toBe(false);
});
