/** Tests the operations on stored decisions in the process of a command, without a host. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { operationsInProcess } from "../../helpers/operations-in-process.ts";

const decision = (id: string, tool: string) => ({
  ...{ id, at: 5, grantee: { id: "t1", name: "ann" }, server: "s", definition: "hash", tool, pin: "pin", rule: "s:*" },
  approved: { name: tool, inputSchema: { type: "object" } },
});

async function openWith(content: object) {
  const { operations, env } = await operationsInProcess();
  const folder = join(env["XDG_STATE_HOME"]!, "plugboard");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "decisions.json");
  await writeFile(file, JSON.stringify(content));
  return { operations, file };
}

it("lists the stored decisions without the definitions of the tools, and revokes one", async () => {
  const { operations, file } = await openWith({ version: 1, entries: [decision("a", "echo"), decision("b", "fail")] });
  const [first, ...others] = await operations.decisions();
  expect(others).toMatchObject([{ id: "b", tool: "fail" }]);
  expect(first).toEqual({
    ...{ id: "a", at: 5, scope: "always", server: "s", tool: "echo", pin: "pin", rule: "s:*" },
    grantee: { id: "t1", name: "ann" },
  });
  await operations.revokeDecision("a");
  expect(await operations.decisions()).toMatchObject([{ id: "b" }]);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ entries: [{ id: "b" }] });
  await expect(operations.revokeDecision("a")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("throws if the decisions can't be read, instead of listing none", async () => {
  const { operations } = await openWith({ version: 99, entries: [] });
  await expect(operations.decisions()).rejects.toMatchObject({ code: expect.stringMatching(/^STORE_/) });
});

it("throws if the state folder can't be used, instead of listing none", async () => {
  const { operations, env } = await operationsInProcess();
  const parent = env["XDG_STATE_HOME"]!;
  await mkdir(parent, { recursive: true });
  await writeFile(join(parent, "plugboard"), "");
  await expect(operations.decisions()).rejects.toMatchObject({ code: expect.stringMatching(/^STORE_/) });
});
