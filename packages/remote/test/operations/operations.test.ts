/** The same operations give the same results and errors in the process of a command, over the socket and over HTTP. */
import { OPERATION_METHODS } from "@plugboard/contracts";
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { Transcript } from "./operations-transcript.ts";
import type { Step } from "./operations-transcript.ts";
import { makeHome, WAYS } from "./operations-ways.ts";
import type { OpenOperations } from "./operations-ways.ts";

async function record(open: OpenOperations): Promise<readonly Step[]> {
  const registry = await startRegistryServer({});
  onTestFinished(() => registry.close());
  const home = await makeHome({ PLUGBOARD_REGISTRY_URL: registry.url });
  const transcript = new Transcript(await open(home), home);
  await useServers(transcript);
  return transcript.steps;
}

async function useServers(transcript: Transcript): Promise<void> {
  await transcript.call("overview");
  await transcript.call("definitions", "s");
}

describe("the operations", () => {
  const [[, near]] = WAYS as [(typeof WAYS)[0]];

  it.each(WAYS.slice(1))("give the same results and errors %s as in the process of a command", async (_, open) => {
    expect(await record(open)).toEqual(await record(near));
  });

  it("are all in this test", async () => {
    const called = new Set((await record(near)).map(({ method }) => `operations.${method}`));
    expect(Object.keys(OPERATION_METHODS).filter((path) => !called.has(path))).toEqual([]);
  });
});
