/** Tests visits to URLs and resource subscriptions through the gateway. A legacy server confirms both later. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject, Question } from "@plugboard/contracts";
import { createHost } from "@plugboard/host";
import type { AnswerPort, EmbeddedHost } from "@plugboard/host";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import type { ClientKind, OfficialClient } from "./helpers/official-clients.ts";
import { startScriptedModern } from "./helpers/scripted-modern.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const script = fileURLToPath(new URL("./helpers/visit-server.mjs", import.meta.url));
const COMPLETE = "notifications/elicitation/complete";

let folder: string;
let host: RunningHost;
/** The file whose existence lets subscriptions succeed. */
let permit: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plugboard-visits-"));
  permit = join(folder, "permit");
  host = await startRunningHost({ pages: { command: process.execPath, args: [script, permit] } });
});
afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(kind: ClientKind): Promise<OfficialClient> {
  const front = await openClient(kind, host, () => ({ action: "accept", content: {} }));
  onTestFinished(() => front.close());
  return front;
}

const run = (tool: string, args: JsonObject) => host.daemon.workspace.tools.call(`pages:${tool}`, args);
const finish = (elicitationId: string) => run("finish", { elicitationId });
const finishSilently = (elicitationId: string) => run("finish", { elicitationId, silent: true });
const forget = (elicitationId: string) => run("forget", { elicitationId });
async function openProgram(answer: AnswerPort): Promise<EmbeddedHost> {
  const program = await createHost({
    servers: { pages: { command: process.execPath, args: [script, permit] } },
    permissions: { allow: ["pages:*"] },
    env: { PATH: process.env["PATH"], HOME: folder, XDG_CONFIG_HOME: "/nonexistent" },
    ports: { answer },
  });
  onTestFinished(() => program.close());
  return program;
}

const completed = ({ notifications }: OfficialClient) => notifications.filter(({ method }) => method === COMPLETE);
const legacyKinds = clientKinds.filter((kind) => kind.startsWith("legacy"));
const modernKinds = clientKinds.filter((kind) => kind.startsWith("modern"));

describe.each(legacyKinds)("a %s client that is asked to visit a URL", (kind) => {
  it("is notified when the server reports the visit after the call, and other clients are not", async () => {
    const [front, other] = [await open(kind), await open(kind)];
    expect(await front.call("pages__visit")).toContain("accept");
    expect(completed(front)).toEqual([]);
    await finish("during");
    await vi.waitFor(() => expect(completed(front)).toHaveLength(1));
    const [ask] = front.asked;
    expect(completed(front)).toMatchObject([{ params: { elicitationId: ask!["elicitationId"] } }]);
    // A notification would have come before this answer of the gateway.
    await other.listTools();
    expect(completed(other)).toEqual([]);
  });
});

describe("a call that a legacy server rejects until a page was visited", { meta: { covers: ["F53"] } }, () => {
  beforeEach(() => forget("before"));

  it.each(legacyKinds)("fails at once with the error of the server, unchanged (%s)", async (kind) => {
    const front = await open(kind);
    const elicitations = [{ mode: "url", message: "Log in", url: "https://example.com/in", elicitationId: "before" }];
    await expect(front.call("pages__protected")).rejects.toMatchObject({ code: -32042, data: { elicitations } });
    expect(front.asked).toEqual([]);
    await finishSilently("before");
    expect(await front.call("pages__protected")).toBe("welcome");
  });

  it.each(legacyKinds)(
    "is not sent again for a legacy client, which is notified when the server reports the visit (%s)",
    async (kind) => {
      const [front, other] = [await open(kind), await open(kind)];
      await expect(front.call("pages__protected")).rejects.toMatchObject({ code: -32042 });
      await finish("before");
      await vi.waitFor(() => expect(completed(front)).toMatchObject([{ params: { elicitationId: "before" } }]));
      await other.listTools();
      expect(completed(other)).toEqual([]);
    },
  );

  it.each(modernKinds)("asks the client, and is sent again when the client accepts (%s)", async (kind) => {
    const front = await openClient(kind, host, async () => {
      await finishSilently("before");
      return { action: "accept", content: {} };
    });
    onTestFinished(() => front.close());
    expect(await front.call("pages__protected")).toBe("welcome");
    expect(front.asked).toMatchObject([{ mode: "url", url: "https://example.com/in" }]);
  });

  it("asks the user of a program, and is sent again when the user says that the visit is done", async () => {
    const asked: Question[] = [];
    const program = await openProgram(async (question) => {
      asked.push(question);
      // The first answer comes before the visit.
      if (asked.length > 1) await program.tools.call("pages:finish", { elicitationId: "before", silent: true });
      return { type: "elicitation", action: "accept" };
    });
    const { content } = await program.tools.call("pages:protected");
    expect(content).toEqual([{ type: "text", text: "welcome" }]);
    expect(asked).toMatchObject([{ elicitation: { mode: "url" } }, { elicitation: { mode: "url" } }]);
  });

  it("is sent again without an answer of the user when the server reports the visit", async () => {
    const program = await openProgram(async (_, signal) => {
      await program.tools.call("pages:finish", { elicitationId: "before" });
      await once(signal, "abort");
      throw new Error("the question was withdrawn");
    });
    const { content } = await program.tools.call("pages:protected");
    expect(content).toEqual([{ type: "text", text: "welcome" }]);
  });
});

describe("a client that subscribes to a resource", () => {
  it.each([
    ["legacy over HTTP", "doc:1"],
    ["legacy over stdio", "doc:2"],
    ["modern over HTTP", "doc:3"],
    ["modern over stdio", "doc:4"],
  ] as const)("gets the response only after the server has accepted the subscription (%s)", async (kind, uri) => {
    await rm(permit, { force: true });
    const front = await open(kind);
    let answered = false;
    const subscribed = front.subscribe(uri).then(() => (answered = true));
    await front.request("resources/list", {});
    await front.listTools();
    expect(answered).toBe(false);
    await writeFile(permit, "");
    await subscribed;
    // An update right after the subscription is not lost.
    await front.call("pages__write", { uri });
    await vi.waitFor(() =>
      expect(front.notifications).toMatchObject([{ method: "notifications/resources/updated", params: { uri } }]),
    );
  });

  it.each(legacyKinds)("gets the error of a server that rejects the subscription (%s)", async (kind) => {
    const front = await open(kind);
    await expect(front.subscribe("doc:refused")).rejects.toMatchObject({ code: -32000, data: { a: 1 } });
    // The failed subscription is forgotten, so a second request is sent to the server again.
    await expect(front.subscribe("doc:refused")).rejects.toMatchObject({ code: -32000 });
  });

  it.each(legacyKinds)("gets -32602 with the URI if the resource is unknown (%s)", async (kind) => {
    const front = await open(kind);
    // A URI that no server lists goes to the only server, which says that it is unknown.
    await expect(front.subscribe("doc:other")).rejects.toMatchObject({ code: -32602, data: { uri: "doc:other" } });
    const uri = "plugboard://nobody/doc:1";
    await expect(front.subscribe(uri)).rejects.toMatchObject({ code: -32602, data: { uri } });
  });

  it.each([
    [
      "the error of a modern server that rejects the subscription",
      { subscribe: true },
      { code: -32050, message: "no room" },
    ],
    ["an error if the server can't report updates", {}, { data: { plugboard: "NOT_OFFERED" } }],
  ])("gets %s", async (_, resources, error) => {
    const server = await startScriptedModern(
      { resources },
      {
        "resources/list": () => ({ resources: [{ uri: "a:1", name: "a" }] }),
        "resources/templates/list": () => ({ resourceTemplates: [] }),
        "subscriptions/listen": () => ({ error: { code: -32050, message: "no room" } }),
      },
    );
    onTestFinished(() => server.close());
    const modernHost = await startRunningHost({ modern: { url: server.url } });
    onTestFinished(() => modernHost.close());
    const front = await openClient("legacy over HTTP", modernHost, () => ({ action: "cancel" }));
    onTestFinished(() => front.close());
    const { message, ...fields } = error as { message?: string };
    const expected = { ...fields, ...(message && { message: expect.stringContaining(message) }) };
    await expect(front.subscribe("a:1")).rejects.toMatchObject(expected);
  });
});
