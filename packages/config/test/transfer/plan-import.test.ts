/** Tests how an import stores secrets. The tests of the command line cover the rest of an import. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readClientText } from "#clients/read-client-file.js";
import { applyImport } from "#transfer/apply-import.js";
import { keepPlainSecrets, planImport } from "#transfer/plan-import.js";

async function setUp(servers: object) {
  const home = await mkdtemp(join(tmpdir(), "plugboard-import-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const file = join(home, "config.json");
  const write = (own: object) => writeFile(file, JSON.stringify({ mcp: { servers: own } }));
  const options = { project: home, platform: "linux", scope: "user" } as const;
  const plan = async (
    storedSecrets: { readonly [name: string]: readonly string[] } = {},
    others: readonly object[] = [],
  ) => {
    const texts = [servers, ...others].map((one) => JSON.stringify({ mcpServers: one }));
    const files = await Promise.all(texts.map((text, index) => readClientText(`/c${index}.json`, text, options)));
    const differing = files.map((one, index) => ({ ...one, client: index === 0 ? one.client : ("cursor" as const) }));
    const env = { PLUGBOARD_CONFIG_PATH: file };
    const planned = await planImport(differing, {
      cwd: home,
      env,
      replace: true,
      storedSecrets: new Map(Object.entries(storedSecrets)),
    });
    return planned.flatMap((one) => one.servers);
  };
  return { file, write, plan };
}

const KEY = { command: "run", env: { API_KEY: "canary" } };
const referring = (name: string) => ({ command: "run", env: { API_KEY: { $secret: name } } });

it("an import stores the secret first, and then writes only a reference to it", async () => {
  const { file, write, plan } = await setUp({ x: KEY });
  await write({});
  const stored: string[] = [];
  await applyImport(await plan(), {
    storeSecret: async (name, value) => {
      expect(await readFile(file, "utf8")).not.toContain(name);
      stored.push(`${name}=${value}`);
    },
    onWritten: () => {},
  });
  expect(stored).toEqual(["x.API_KEY=canary"]);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ mcp: { servers: { x: referring("x.API_KEY") } } });
});

it("an import does not write a definition whose secret can't be stored", async () => {
  const { file, write, plan } = await setUp({ x: KEY });
  await write({});
  const storeSecret = () => Promise.reject(new Error("locked"));
  await expect(applyImport(await plan(), { storeSecret, onWritten: () => {} })).rejects.toThrow("locked");
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ mcp: { servers: {} } });
});

it("an import is rejected if the server was changed, removed or added since the plan, and stores no secret", async () => {
  const { file, write, plan } = await setUp({ x: KEY });
  for (const [before, after, code] of [
    [{ x: { command: "old" } }, { x: { command: "edited" } }, "DEFINITION_CHANGED"],
    [{ x: { command: "old" } }, {}, "DEFINITION_CHANGED"],
    [{}, { x: { command: "added" } }, "SERVER_EXISTS"],
  ] as const) {
    await write(before);
    const planned = await plan();
    await write(after);
    const stored: string[] = [];
    const storeSecret = async (name: string) => void stored.push(name);
    await expect(applyImport(planned, { storeSecret, onWritten: () => {} })).rejects.toMatchObject({ code });
    expect(stored).toEqual([]);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ mcp: { servers: after } });
  }
});

it("an import replaces the definition that the plan has read", async () => {
  const { file, write, plan } = await setUp({ x: KEY });
  await write({ x: { command: "old" } });
  await applyImport(await plan(), { storeSecret: async () => {}, onWritten: () => {} });
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ mcp: { servers: { x: referring("x.API_KEY") } } });
});

it("keepPlainSecrets puts the secrets back into the entry, and adds advice to the notes", async () => {
  const { write, plan } = await setUp({ x: KEY });
  await write({});
  const [planned] = await plan();
  expect(planned).toMatchObject({ entry: referring("x.API_KEY"), secrets: [{ key: "API_KEY" }], notes: [] });
  const advice = expect.stringContaining("API_KEY is a secret in plain text") as string;
  expect(keepPlainSecrets(planned!)).toMatchObject({ entry: KEY, secrets: [], notes: [advice] });
});

it("an import changes nothing in a server that differs only by a reference to its stored secret", async () => {
  const { write, plan } = await setUp({ x: KEY });
  await write({ x: referring("other-name") });
  expect(await plan({ "other-name": ["x"] })).toMatchObject([{ action: "none" }]);
});

it("an import reuses the secret name of a replaced server, but no name that the server does not refer to", async () => {
  const { write, plan } = await setUp({ x: KEY });
  await write({ x: { ...referring("x.API_KEY"), command: "old" } });
  expect(await plan({ "x.API_KEY": ["x"] })).toMatchObject([{ action: "replace", secrets: [{ name: "x.API_KEY" }] }]);
  await write({ x: { command: "old" } });
  expect(await plan({ "x.API_KEY": [] })).toMatchObject([{ action: "replace", secrets: [{ name: "x.API_KEY-2" }] }]);
});

it("an import stores a secret under a new name if another server uses the old one too", async () => {
  const { write, plan } = await setUp({ x: KEY });
  await write({ x: { ...referring("x.API_KEY"), command: "old" }, other: referring("x.API_KEY") });
  const users = { "x.API_KEY": ["other", "x"] };
  expect(await plan(users)).toMatchObject([{ action: "replace", secrets: [{ name: "x.API_KEY-2" }] }]);
});

it("two files that define a server with the same id share a stored secret only if its value is the same", async () => {
  const { write, plan } = await setUp({ x: KEY });
  await write({});
  const names = async (value: string) => {
    const planned = await plan({}, [{ x: { command: "run", env: { API_KEY: value } } }]);
    return planned.flatMap(({ secrets }) => secrets.map(({ name }) => name));
  };
  expect(await names("canary")).toEqual(["x.API_KEY", "x.API_KEY"]);
  expect(await names("another")).toEqual(["x.API_KEY", "x.API_KEY-2"]);
});
