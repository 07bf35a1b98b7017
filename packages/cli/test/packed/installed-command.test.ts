/** Tests the command that `npm install --global` makes of the packed package, with the Node that runs the tests. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { VERSION } from "@plugboard/host";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installCommand } from "../helpers/installed-command.ts";
import type { InstalledCommand } from "../helpers/installed-command.ts";

describe("npm install --global", () => {
  let installed: InstalledCommand;

  beforeAll(async () => {
    installed = await installCommand(dirname(process.execPath));
  }, 120_000);

  afterAll(() => installed.remove());

  it("installs one package with README.md and all licenses, whose only dependencies are the keyring and SDKs of model providers", () => {
    expect(readdirSync(installed.packages).filter((name) => !name.startsWith("."))).toEqual(["plugboard"]);
    const files = readdirSync(join(installed.packages, "plugboard"));
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    const licenses = readFileSync(join(installed.packages, "plugboard", "dist", "bundle", "LICENSES.txt"), "utf8");
    for (const name of ["ajv", "oauth4webapi", "undici", "ws", "zod"]) {
      expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\S+ \\((MIT|BSD-\\d-Clause|ISC)\\)$`, "m"));
    }
    const dependencies = readdirSync(join(installed.packages, "plugboard", "node_modules"));
    const ofModelProviders = ["@ai-sdk", "@standard-schema", "eventsource-parser", "json-schema", "undici", "zod"];
    expect(dependencies.filter((name) => !name.startsWith("."))).toEqual(["@napi-rs", ...ofModelProviders].toSorted());
  });

  it("gives a command that prints its version and calls a tool of a real server", { timeout: 120_000 }, async () => {
    expect(await installed.run("--version")).toBe(`${VERSION}\n`);
    const { command, args } = filesystemStdio(".");
    const server = `fs=${[command, ...args].join(" ")}`;
    expect(await installed.run("call", "fs:list_directory", "path=.", "--mcp-server", server)).toBe(
      "[FILE] notes.md\n",
    );
  });
});
