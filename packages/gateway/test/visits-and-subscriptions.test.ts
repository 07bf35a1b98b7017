/** Tests visits of URLs and subscriptions of resources, which a legacy server confirms later, through the gateway. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
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

const finish = (elicitationId: string) => host.daemon.workspace.tools.call("pages:finish", { elicitationId });
const completed = ({ notifications }: OfficialClient) => notifications.filter(({ method }) => method === COMPLETE);
const legacyKinds = clientKinds.filter((kind) => kind.startsWith("legacy"));

describe.each(legacyKinds)("a %s client that is asked to visit a URL", (kind) => {
  it("is told when a server reports the visit after the call, and other clients are not", async () => {
    const [front, other] = [await open(kind), await open(kind)];
    expect(await front.call("pages__visit")).toContain("accept");
    expect(completed(front)).toEqual([]);
    await finish("during");
    await vi.waitFor(() => expect(completed(front)).toHaveLength(1));
    const [ask] = front.asked;
    expect(completed(front)).toMatchObject([{ params: { elicitationId: ask!["elicitationId"] } }]);
    // A later answer of the gateway shows that no notification is on its way.
    await other.listTools();
    expect(completed(other)).toEqual([]);
  });
});

it("a call that needs a visit first runs when the server reports the visit, and the client is told", async () => {
  const front = await open("legacy over HTTP");
  const calling = front.call("pages__protected");
  await vi.waitFor(() => expect(front.asked).toHaveLength(1));
  // The answer of the client may arrive after the report, so the report is repeated.
  await vi.waitFor(async () => {
    await finish("before");
    expect(await Promise.race([calling, Promise.resolve("pending")])).toBe("welcome");
  });
  expect(completed(front)).toMatchObject([{ params: { elicitationId: front.asked[0]!["elicitationId"] } }]);
});

describe("a client that subscribes to a resource", () => {
  it.each([
    ["legacy over HTTP", "doc:1"],
    ["legacy over stdio", "doc:2"],
    ["modern over HTTP", "doc:3"],
    ["modern over stdio", "doc:4"],
  ] as const)("gets the answer after the server has accepted it (%s)", async (kind, uri) => {
    await rm(permit, { force: true });
    const front = await open(kind);
    let answered = false;
    const subscribed = front.subscribe(uri).then(() => (answered = true));
    await front.request("resources/list", {});
    await front.listTools();
    expect(answered).toBe(false);
    await writeFile(permit, "");
    await subscribed;
    // An update that the server sends at once is not lost.
    await front.call("pages__write", { uri });
    await vi.waitFor(() =>
      expect(front.notifications).toMatchObject([{ method: "notifications/resources/updated", params: { uri } }]),
    );
  });

  it.each(legacyKinds)("gets the error of the server (%s)", async (kind) => {
    const front = await open(kind);
    await expect(front.subscribe("doc:refused")).rejects.toMatchObject({ code: -32000, data: { a: 1 } });
    // The failed subscription is forgotten, so a second request is sent to the server again.
    await expect(front.subscribe("doc:refused")).rejects.toMatchObject({ code: -32000 });
  });

  it.each(legacyKinds)("gets -32602 with the URI if the resource is unknown (%s)", async (kind) => {
    const front = await open(kind);
    // The only server gets a URI that no server lists, and says that it is unknown.
    await expect(front.subscribe("doc:other")).rejects.toMatchObject({ code: -32602, data: { uri: "doc:other" } });
    const uri = "plugboard://nobody/doc:1";
    await expect(front.subscribe(uri)).rejects.toMatchObject({ code: -32602, data: { uri } });
  });

  it.each([
    ["the error of a modern server that rejects it", { subscribe: true }, { code: -32050, message: "no room" }],
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
