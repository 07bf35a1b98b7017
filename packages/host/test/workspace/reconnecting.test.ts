/** Tests how a host shows servers that crash and restart. */
import { Host } from "#core/host.js";
import type { ServerEntry } from "@plugboard/contracts";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeCall } from "../helpers/make-calls.ts";

const env = { PATH: process.env["PATH"], XDG_CONFIG_HOME: "/nonexistent" };
const caller = { kind: "program", id: "test" } as const;

async function open(servers: { [id: string]: ServerEntry }, limits = {}) {
  const host = new Host({ env, limits });
  onTestFinished(() => host.close());
  const workspace = await host.open({ cwd: ".", servers });
  return workspace;
}

type TestWorkspace = Awaited<ReturnType<typeof open>>;

describe("a server that crashes", () => {
  it(
    "loses its tools and gets them back when it restarts, and each change is notified once",
    { meta: { covers: ["R2.122", "R4.3", "R4.19", "R4.20"] } },
    async () => {
      const workspace = await open({ s: scriptedLegacy(), other: scriptedLegacy("--pages=2") }, { firstRetryMs: 100 });
      const offers: string[][] = [];
      const offering = () => [...new Set(workspace.tools.list().map(({ server }) => server))];
      await workspace.start();
      workspace.tools.onChanged(() => offers.push(offering()));
      await expect(
        workspace.calls.call(makeCall("s:crash", {}, caller, { impliesPermission: true })),
      ).rejects.toMatchObject({ code: "SERVER_CRASHED" });
      await vi.waitFor(() => expect(workspace.status()[0]).toMatchObject({ state: "ready", restarts: 1 }), {
        timeout: 10_000,
      });
      expect(offers).toEqual([["other"], ["s", "other"]]);
    },
  );

  it.each([
    ["connect", (workspace: TestWorkspace) => workspace.servers.connect("s").catch(() => {})],
    ["start", (workspace: TestWorkspace) => workspace.start()],
  ])(
    "is not restarted after its fifth crash until `%s` is called",
    { meta: { covers: ["R3.10"] } },
    async (_, tryAgain) => {
      const dying = { command: process.execPath, args: ["-e", "process.stderr.write('no'); process.exit(3)"] };
      const workspace = await open({ s: dying }, { firstRetryMs: 5 });
      const { errors } = await workspace.start();
      expect(errors).toMatchObject({ s: { code: "SERVER_CRASHED" } });
      await vi.waitFor(() => expect(workspace.status()).toMatchObject([{ state: "error" }]), { timeout: 15_000 });
      expect(workspace.status()).toMatchObject([
        { restarts: 4, lastError: { code: "SERVER_CRASHED", details: { exit: "exit code 3", stderr: "no" } } },
      ]);
      // A call does not restart the server within the next minute.
      await expect(
        workspace.calls.call(makeCall("s:x", {}, caller, { impliesPermission: true })),
      ).rejects.toMatchObject({ code: "SERVER_CRASHED" });
      // Opening a page does not restart the server either.
      expect((await workspace.start({ retryFailed: false })).errors).toMatchObject({ s: { code: "SERVER_CRASHED" } });
      expect(workspace.status()).toMatchObject([{ state: "error", restarts: 4 }]);
      await tryAgain(workspace);
      expect(workspace.status()).toMatchObject([{ state: "connecting", lastError: { code: "SERVER_CRASHED" } }]);
    },
  );
});
