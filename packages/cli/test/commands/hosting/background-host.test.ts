/** Tests commands that use a host in the background, whose clients and workspaces come and go. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, vi } from "vitest";
import { setUpProject } from "../../helpers/project.ts";
import { puppetServer, runPiped, startCommand } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

/** Starts the host in the home folder, as `plugboard stdio` does for a client in another folder. */
async function startBackgroundHost({ env }: Setup) {
  const host = startCommand({ cwd: env["HOME"]!, env }, "serve", "--background");
  const socket = join(env["XDG_STATE_HOME"]!, "plugboard", "host.sock");
  await vi.waitFor(() => expect(existsSync(socket)).toBe(true), 10_000);
  return host;
}

const statusOf = async (setup: Setup, id: string) => {
  const { stdout } = await runPiped(setup, "status", "--json");
  return (JSON.parse(stdout) as { id: string; state: string; pid?: number }[]).find((server) => server.id === id);
};

describe("a host in the background", () => {
  it("runs a server that the user has just added to a project", { meta: { covers: ["A1"] } }, async () => {
    const project = await setUpProject();
    await startBackgroundHost(project);
    // The host has read the approvals before the server is added.
    expect(await runPiped(project, "status")).toMatchObject({ status: 0 });
    const { command, args } = puppetServer({ mirror: true });
    for (const id of ["one", "two"]) {
      expect(await runPiped(project, "add", id, "--", command, ...args)).toMatchObject({ status: 0 });
      expect(await runPiped(project, "call", `${id}:go`, "--args", '{"a":1}')).toMatchObject({
        status: 0,
        stdout: '{"a":1}\n',
      });
      expect(await runPiped(project, "trust", id, "--revoke")).toMatchObject({ status: 0 });
      const revoked = await runPiped(project, "call", `${id}:go`);
      expect(revoked.stderr).toContain("SERVER_UNTRUSTED");
    }
  });

  it("keeps a server connected between two commands, and stops it when the host stops", async () => {
    const project = await setUpProject({ user: { mcp: { servers: { tested: scriptedLegacy() } } } });
    const host = await startBackgroundHost(project);
    expect(await runPiped(project, "tools", "tested")).toMatchObject({ status: 0 });
    const first = await statusOf(project, "tested");
    expect(first).toMatchObject({ state: "ready", pid: expect.any(Number) as number });
    expect(await runPiped(project, "tools", "tested")).toMatchObject({ status: 0 });
    expect(await statusOf(project, "tested")).toMatchObject({ pid: first!.pid });
    expect(isAlive(first!.pid!)).toBe(true);
    host.child.kill("SIGTERM");
    expect(await host.exited).toBe(0);
    await waitUntilDead(first!.pid!, 5000);
  });
});
