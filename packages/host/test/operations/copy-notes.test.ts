/** Tests the sentences about servers that a client starts itself although Plugboard offers them. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { copyNotes } from "#operations/copy-notes.js";
import { testEnv } from "../../../daemon/test/helpers/running-host.ts";

const server = (name: string) => ({ command: "node", args: [name] });

it.each([
  [["one"], "its own one. Remove it from"],
  [["one", "two"], "its own one, two. Remove them from"],
])("names the copies %j", async (ids, sentence) => {
  const { env, remove } = await testEnv();
  onTestFinished(remove);
  const servers = Object.fromEntries(ids.map((id) => [id, server(id)]));
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify({ mcp: { servers } }));
  await mkdir(join(env.HOME, ".cursor"));
  const file = join(env.HOME, ".cursor", "mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers: { ...servers, other: server("other") } }));
  const notes = await copyNotes("cursor", { cwd: env.HOME, env, configFiles: [] });
  expect(notes).toEqual([`Cursor still starts ${sentence} ${file}, because Plugboard offers the same.`]);
});
