/** Tests how all files with Plugboard's entry are found. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findConnections } from "#connect/find-connections.js";
import { setUpHome, STDIO } from "./client-setups.ts";

describe("findConnections", () => {
  it.each([
    ["claude-code", ".mcp.json"],
    ["cursor", ".cursor/mcp.json"],
    ["codex", ".codex/config.toml"],
    ["opencode", "opencode.json"],
  ] as const)("finds the file of %s in another project by its record", async (client, path) => {
    const home = await setUpHome(client);
    const { file } = await home.connect(STDIO, "project");
    const elsewhere = { ...home.places, project: home.home };
    expect(await findConnections(elsewhere, [])).toEqual([]);
    const record = { client, file, written: "", addedParents: 0 };
    const found = await findConnections(elsewhere, [record]);
    expect(found).toMatchObject([{ client, scope: "project", file: join(home.project, path) }]);
    expect(found[0]!.places.project).toBe(home.project);
    // The file is now found by its path too, but is one connection.
    expect(await findConnections(home.places, [record])).toHaveLength(1);
  });

  it("finds a file that can't be read only if Plugboard has changed it", async () => {
    const home = await setUpHome("cursor");
    const { file } = await home.connect(STDIO);
    await writeFile(file, "{ broken");
    expect(await findConnections(home.places, [])).toEqual([]);
    const record = { client: "cursor", file, written: "", addedParents: 0 } as const;
    expect(await findConnections(home.places, [record])).toMatchObject([{ client: "cursor", file, error: {} }]);
  });
});
