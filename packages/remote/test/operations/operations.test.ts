/** Tests that operations have equal results and errors in the process of a command, over the socket and over HTTP. */
import { OPERATION_METHODS } from "@plugboard/contracts";
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  useConfigFiles,
  useKeys,
  useOtherClients,
  useProfiles,
  useRegistry,
  useRules,
  useSecrets,
  useServers,
  useTokens,
  useTools,
  useTrust,
} from "./operations-steps.ts";
import { Transcript } from "./operations-transcript.ts";
import { makeHome, WAYS } from "./operations-ways.ts";
import type { OpenOperations } from "./operations-ways.ts";

const GROUPS = {
  servers: useServers,
  "config files": useConfigFiles,
  tools: useTools,
  rules: useRules,
  profiles: useProfiles,
  tokens: useTokens,
  secrets: useSecrets,
  trust: useTrust,
  registry: useRegistry,
  "other clients": useOtherClients,
};

/** Forbidden over HTTP. */
const SOCKET_GROUPS = { keys: useKeys };

const [[, near], [, overSocket]] = WAYS as [(typeof WAYS)[0], (typeof WAYS)[1]];

async function record(open: OpenOperations, use: (transcript: Transcript) => Promise<void>) {
  const registry = await startRegistryServer({});
  onTestFinished(() => registry.close());
  const home = await makeHome({ PLUGBOARD_REGISTRY_URL: registry.url });
  const transcript = new Transcript(await open(home), home, registry.url);
  await use(transcript);
  return transcript.steps;
}

describe.each(Object.entries(GROUPS))("the operations of %s", (_, use) => {
  it.each(WAYS.slice(1))("give the same results and errors %s as in the process of a command", async (_way, open) => {
    expect(await record(open, use)).toEqual(await record(near, use));
  });
});

describe.each(Object.entries(SOCKET_GROUPS))("the operations of %s", (_, use) => {
  it("give the same results and errors over the socket as in the process of a command", async () => {
    expect(await record(overSocket, use)).toEqual(await record(near, use));
  });
});

describe("the operations", () => {
  it("are all compared, except two that handle secrets and are forbidden over HTTP", async () => {
    const called = new Set<string>();
    for (const use of Object.values({ ...GROUPS, ...SOCKET_GROUPS }))
      for (const { method } of await record(near, use)) called.add(`operations.${method}`);
    expect(Object.keys(OPERATION_METHODS).filter((path) => !called.has(path))).toEqual([
      "operations.ownerToken",
      "operations.redactSecrets",
    ]);
  });

  it("give the owner's token to a command, with or without a running host, but not over HTTP", async () => {
    const [command, socket, page] = WAYS.map(([, open]) => open);
    expect(await (await command!(await makeHome())).ownerToken()).toMatch(/^[\w-]{43,}$/);
    expect(await (await socket!(await makeHome())).ownerToken()).toMatch(/^[\w-]{43,}$/);
    const operations = await page!(await makeHome());
    await expect(operations.ownerToken()).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(operations.redactSecrets({})).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it("do not list, rotate or drop keys over HTTP", async () => {
    const [, , [, page]] = WAYS as [unknown, unknown, (typeof WAYS)[2]];
    const operations = await page(await makeHome());
    for (const use of [() => operations.keys(), () => operations.rotateKey(), () => operations.dropKey("0")])
      await expect(use()).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});
