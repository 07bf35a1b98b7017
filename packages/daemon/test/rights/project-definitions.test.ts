/** What each holder sees of a project's server that waits for approval, through the doors of a running host. */
import { request } from "node:http";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { controlPaths, hasRight } from "@plugboard/contracts";
import type { JsonObject, PendingServer, Question } from "@plugboard/contracts";
import { socketPath } from "@plugboard/store";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openDoors } from "../helpers/doors.ts";
import type { Doors } from "../helpers/doors.ts";

const HOLDERS = ["chat", "owner_token", "page", "socket"] as const;
/** A chat gets no questions of its workspace. */
const USERS = ["owner_token", "page", "socket"] as const;
type ChannelHolder = (typeof HOLDERS)[number];

const PROJECT = {
  command: "evil",
  args: ["--token", "s3cret-argument"],
  env: { KEY: "s3cret-variable" },
};
const MASKED = { command: "evil", args: ["--token", "***"], env: { KEY: "***" } };

let doors: Doors;
beforeAll(async () => {
  doors = await openDoors();
  await writeProject(PROJECT);
  await doors.host.daemon.workspace.start();
});
afterAll(() => doors.close());

async function writeProject(p: object): Promise<void> {
  await writeFile(join(doors.host.env["HOME"]!, ".mcp.json"), JSON.stringify({ mcpServers: { p } }));
  await doors.host.daemon.workspace.config.reload();
}

async function openWorkspace(holder: ChannelHolder) {
  const { body } = await doors.openChannel(holder, { workspace: { cwd: doors.host.env["HOME"]! } });
  const { channel, opened } = body as { channel: string; opened: { workspace: string } };
  const call = async (method: string, ...args: unknown[]) =>
    (await doors.send(holder, "POST", controlPaths.invoke(channel, opened.workspace, method), args)).body;
  return { channel, call };
}

/** Reads a stream of events until it contains the text. */
function readStream(holder: ChannelHolder, path: string, text: string): Promise<string> {
  const { overSocket, headers } = doors.credentials[holder];
  const { port } = new URL(doors.host.url);
  const address = overSocket ? { socketPath: socketPath(doors.host.env) } : { host: "127.0.0.1", port };
  return new Promise((resolve, reject) => {
    let read = "";
    const sent = request({ ...address, path, headers, agent: false }, (response) => {
      response.setEncoding("utf8").on("data", (chunk: string) => {
        read += chunk;
        if (read.includes(text) && read.endsWith("\n\n")) resolve(read);
      });
    });
    onTestFinished(() => void sent.destroy());
    sent.on("error", reject).end();
  });
}

const shownTo = (holder: ChannelHolder) =>
  expect.objectContaining(hasRight(holder, "trust") ? PROJECT : MASKED) as JsonObject;

describe("the definition of a project's server", () => {
  it.each(HOLDERS)("shows its secrets to %s only with the right to approve it", async (holder) => {
    const { call } = await openWorkspace(holder);
    const pending = (await call("config.pending")) as PendingServer[];
    expect(pending).toMatchObject([{ id: "p", definition: shownTo(holder) }]);
    const mayTrust = hasRight(holder, "trust");
    expect(pending[0]!.hash).toMatch(mayTrust ? /^[0-9a-f]{64}$/ : /^\*{3}$/);
    expect(JSON.stringify(pending).includes("s3cret")).toBe(mayTrust);
  });

  it.each(USERS)("is in the questions of %s in the same way", async (holder) => {
    const { call } = await openWorkspace(holder);
    const { questions } = (await call("snapshot")) as { questions: Question[] };
    expect(questions).toMatchObject([{ type: "trust", server: "p", definition: shownTo(holder) }]);
    expect(await call("inbox.list")).toEqual(questions);
  });

  it.each(USERS)("is in the events of %s in the same way", async (holder) => {
    const { channel } = await openWorkspace(holder);
    const feed = `${controlPaths.feed}?cwd=${doors.host.env["HOME"]!}`;
    for (const path of [controlPaths.events(channel, 0), feed]) {
      const read = await readStream(holder, path, '"type":"trust"');
      expect(read).toContain('"command":"evil"');
      expect(read.includes("s3cret")).toBe(hasRight(holder, "trust"));
    }
  });

  it("shows which values have changed, but no value to a holder without the right to approve it", async () => {
    const { workspace } = doors.host.daemon;
    const [first] = await workspace.config.pending();
    await workspace.config.trust("p", first!.hash);
    await writeProject({ ...PROJECT, env: { KEY: "s3cret-new" } });
    for (const holder of HOLDERS) {
      const { call } = await openWorkspace(holder);
      const [pending] = (await call("config.pending")) as PendingServer[];
      const [before, after] = hasRight(holder, "trust") ? ["s3cret-variable", "s3cret-new"] : ["***", "***"];
      expect(pending!.changes).toEqual([{ path: "env.KEY", before, after }]);
    }
  });
});
