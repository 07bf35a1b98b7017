/** Tests that no client of the gateway reaches the host's own tools. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendRequest, sendToolCall } from "./helpers/raw-modern-client.ts";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => {
  host = await startRunningHost({ s: scriptedLegacy() });
  await writeFile(join(host.env["HOME"]!, "note.txt"), "canary");
});
afterAll(() => host.close());

const NAMES = [
  "read_file",
  "native:read_file",
  "native__read_file",
  "mcp__native__read_file",
  "terminal",
  "read_output",
];
const args = { path: "note.txt", command: "cat note.txt", id: "x" };

describe("a client of the gateway", () => {
  it("sees only the tools of servers, and can call no native tool by any name", async () => {
    const { result } = await sendRequest(host, "tools/list");
    const tools = (result as unknown as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(tools.filter((name) => !name.startsWith("s__"))).toEqual([]);
    for (const name of NAMES) {
      const { error, result: called } = await sendToolCall(host, name, args);
      expect(called).toBeUndefined();
      expect(error?.message).toContain(`There is no tool "${name}"`);
    }
  });

  it.each(clientKinds)("of kind %s gets an error for read_file", async (kind) => {
    const front = await openClient(kind, host, () => ({ action: "decline" }));
    await expect(front.call("read_file", args)).rejects.toThrow(/no tool "read_file"/);
    await front.close();
  });

  it("gets no native tool while a conversation of the same host uses them", async () => {
    const chat = host.daemon.connect("chat");
    const workspace = await chat.workspace({ cwd: host.env["HOME"]! });
    expect((await workspace.tools.list()).map(({ name }) => name)).toContain("read_file");
    expect(await workspace.tools.call("read_file", { path: "note.txt" })).toMatchObject({
      content: [{ text: "canary" }],
    });
    const { error } = await sendToolCall(host, "read_file", args);
    expect(error?.message).toContain('There is no tool "read_file"');
    await chat.close();
  });
});
