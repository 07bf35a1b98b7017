/** Tests the operations on secrets in the process of a command, without a host. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { operationsInProcess } from "../helpers/operations-in-process.ts";

const VALUE = "canary-41d9c07be2";

it("operations set, list and remove a secret, and never return its value", { meta: { covers: ["A12"] } }, async () => {
  const { operations, write } = await operationsInProcess();
  await write("user", { mcpServers: { s: { command: "x", env: { TOKEN: { $secret: "github" } } } } });
  expect(await operations.secrets()).toMatchObject({ secrets: [{ name: "github", state: "missing", servers: ["s"] }] });
  expect(await operations.setSecret("github", VALUE)).toBeUndefined();
  const list = await operations.secrets();
  expect(list).toMatchObject({ backend: "file", secrets: [{ name: "github", state: "stored", servers: ["s"] }] });
  expect(await readFile(list.file!, "utf8")).toContain(VALUE);
  expect(JSON.stringify(list)).not.toContain(VALUE);
  expect(await operations.removeSecret("github")).toBeUndefined();
  await expect(operations.removeSecret("github")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("setSecret refuses an invalid name, without quoting the value", { meta: { covers: ["A12"] } }, async () => {
  const { operations } = await operationsInProcess();
  const error = await operations.setSecret("a b", VALUE).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "USAGE", message: expect.stringContaining("the name of a secret") as string });
  expect(JSON.stringify(error)).not.toContain(VALUE);
});

it("secrets lists also the secrets of servers that wait for approval", async () => {
  const { operations, write } = await operationsInProcess();
  await write("shared", { mcpServers: { p: { command: "x", env: { TOKEN: { $secret: "key" } } } } });
  expect(await operations.secrets()).toMatchObject({ secrets: [{ name: "key", servers: ["p"] }] });
});

it("setSecret and removeSecret throw if the state folder can't be used", async () => {
  const { operations, env } = await operationsInProcess();
  const parent = env["XDG_STATE_HOME"]!;
  await mkdir(parent, { recursive: true });
  await writeFile(join(parent, "plugboard"), "");
  await expect(operations.setSecret("github", VALUE)).rejects.toMatchObject({ code: expect.stringMatching(/^STORE_/) });
  await expect(operations.removeSecret("github")).rejects.toThrow();
  expect((await operations.secrets()).unreadable).toBeDefined();
});
