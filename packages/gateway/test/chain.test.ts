/** Tests a chain of two Plugboards: a client uses the servers of the inner host through the gateway of the outer one. */
import { fileURLToPath } from "node:url";
import type { ServerEntry } from "@plugboard/contracts";
import { everythingStdio, modernStdio } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import type { ClientKind, OfficialClient } from "./helpers/official-clients.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const command = fileURLToPath(new URL("../../cli/bin/plugboard.js", import.meta.url));

let inner: RunningHost;
let outer: RunningHost;
beforeAll(async () => {
  inner = await startRunningHost({ modern: modernStdio(), legacy: everythingStdio() });
  const byUrl: ServerEntry = { url: inner.url, headers: { Authorization: `Bearer ${inner.token}` } };
  const byStdio: ServerEntry = { command: process.execPath, args: [command, "stdio"], env: { ...inner.env } };
  outer = await startRunningHost({ web: byUrl, pipe: byStdio });
});
afterAll(async () => {
  await outer.close();
  await inner.close();
});

async function open(kind: ClientKind): Promise<OfficialClient> {
  const answer = () => ({ action: "accept", content: { name: "Ann" } }) as const;
  const front = await openClient(kind, outer, answer, (prompt) => `sampled ${prompt}`);
  onTestFinished(() => front.close());
  return front;
}

/** Returns the only name with this beginning. Long names end with a hash. */
function fullName(names: readonly string[], name: string): string {
  const found = names.filter((one) => one.startsWith(name));
  expect(found).toHaveLength(1);
  return found[0]!;
}

async function promptNames(front: OfficialClient): Promise<string[]> {
  const { prompts } = (await front.request("prompts/list", {})) as { prompts: { name: string }[] };
  return prompts.map(({ name }) => name);
}

describe.each(clientKinds)("a %s client of two Plugboards in a row", { meta: { covers: ["A20"] } }, (kind) => {
  it("calls the tools of the inner host, and sees no native tool of either host", async () => {
    const front = await open(kind);
    const names = await front.listTools();
    expect(names.filter((name) => /mcp_(resource|prompt)|read_output/.test(name))).toEqual([]);
    expect(names).toContain("web__modern__echo");
    expect(await front.call("web__modern__echo", { text: "hi" })).toBe("hi");
    expect(await front.call(fullName(names, "pipe__legacy__echo"), { message: "hi" })).toContain("hi");
  });

  it("reads the resources of the inner host", async () => {
    const front = await open(kind);
    const { resources } = (await front.request("resources/list", {})) as { resources: { uri: string }[] };
    const uris = resources.map(({ uri }) => uri).filter((uri) => uri.endsWith("note://welcome"));
    expect(uris).toHaveLength(2);
    for (const uri of uris) {
      const { contents } = (await front.request("resources/read", { uri })) as { contents: unknown[] };
      expect(contents).toMatchObject([{ uri, text: "Welcome to the modern fixture" }]);
    }
  });

  it("gets the prompts of the inner host", async () => {
    const front = await open(kind);
    const name = fullName(await promptNames(front), "web__modern__review");
    const params = { name, arguments: { language: "Tcl" } };
    expect(JSON.stringify(await front.request("prompts/get", params))).toContain("Review this Tcl");
  });

  it("answers the questions of servers of both eras behind both hosts", async () => {
    const front = await open(kind);
    const [tools, prompts] = [await front.listTools(), await promptNames(front)];
    for (const server of ["web", "pipe"]) {
      const name = fullName(prompts, `${server}__modern__ask_who`);
      const { messages } = (await front.request("prompts/get", { name })) as {
        messages: unknown[];
      };
      expect(JSON.stringify(messages)).toContain("You are talking to Ann.");
      expect(await front.call(fullName(tools, `${server}__modern__ask_model`), { prompt: "hi" })).toContain(
        "sampled hi",
      );
      expect(await front.call(fullName(tools, `${server}__legacy__trigger-elicitation`))).toContain("Ann");
    }
  });
});
