/** Tests that a running gateway follows the key ring when its keys are rotated and dropped over the socket. */
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { sendToolCall } from "../../../gateway/test/helpers/raw-modern-client.ts";
import { startRunningHost } from "../helpers/running-host.ts";

const args = { text: "hi" };

async function open() {
  const running = await startRunningHost({ s: scriptedLegacy() }, {}, { ask: ["s:echo"] });
  onTestFinished(running.close);
  const fetch = nodeHttpFetch({ socketPath: socketPath(running.env) });
  const host = await connectRemote({ fetch, version: VERSION, kind: "cli" });
  onTestFinished(() => host.close());
  return {
    manage: host.operations,
    /** Calls a tool and returns the request state that comes with its permission form. */
    askPermission: async () => (await sendToolCall(running, "s__echo", args)).result!.requestState!,
    permit: (requestState: string) => {
      const inputResponses = { permission: { action: "accept", content: { decision: "once" } } };
      return sendToolCall(running, "s__echo", args, { params: { requestState, inputResponses } });
    },
  };
}

const done = { result: { resultType: "complete", content: [{ text: "hi" }] } };

describe("the operations of keys", () => {
  it("rotate the key of a running gateway, which still accepts the answer to an older form", async () => {
    const { manage, askPermission, permit } = await open();
    const older = await askPermission();
    const [first] = await manage.keys();
    const second = await manage.rotateKey();
    const newer = await askPermission();
    expect([older, newer].map((state) => state.split(".")[0])).toEqual([first!.id, second]);
    expect(await permit(older)).toMatchObject(done);
    expect(await permit(newer)).toMatchObject(done);
  });

  it("drop a key, so that the running gateway refuses the answer to a form of this key only", async () => {
    const { manage, askPermission, permit } = await open();
    const older = await askPermission();
    const [first] = await manage.keys();
    await manage.rotateKey();
    const newer = await askPermission();
    await manage.dropKey(first!.id);
    expect(await permit(older)).toMatchObject({ status: 400, error: { code: -32602 } });
    expect(await permit(newer)).toMatchObject(done);
  });

  it("list the keys without their secrets", async () => {
    const { manage, askPermission } = await open();
    expect(await manage.keys()).toEqual([]);
    await askPermission();
    const second = await manage.rotateKey();
    const createdAt = expect.any(Number) as number;
    expect(await manage.keys()).toEqual([
      { id: second, createdAt, encrypts: true },
      { id: expect.any(String) as string, createdAt, encrypts: false },
    ]);
  });
});
