/** `plugboard trust` beside a host that reads the project's file again between the question and the answer. */
import { PassThrough } from "node:stream";
import type { PendingServer } from "@plugboard/contracts";
import { expect, it, onTestFinished, vi } from "vitest";

const config = { pending: vi.fn(), trust: vi.fn().mockResolvedValue(undefined) };

/** The command, with this workspace instead of one of a host. Files share their modules, so it is loaded anew and forgotten. */
async function loadCommand() {
  vi.resetModules();
  vi.doMock("#with-workspace.js", () => ({
    withWorkspace: (_options: object, _surroundings: object, use: (opened: object) => Promise<number>) =>
      use({ workspace: { config }, interrupted: new AbortController().signal, interrupt: () => {} }),
  }));
  onTestFinished(() => {
    vi.doUnmock("#with-workspace.js");
    vi.resetModules();
  });
  return (await import("#commands/trust.js")).trustServer;
}

it(
  "agrees to the definition that was shown, not to what has its name by now",
  { meta: { covers: ["A1"] } },
  async () => {
    const trustServer = await loadCommand();
    const [stdin, stdout, stderr] = [0, 1, 2].map(() => Object.assign(new PassThrough(), { isTTY: true }));
    const waiting = (command: string): PendingServer[] => {
      const about = { source: "project", folder: "/p", transport: "stdio", variables: [] } as const;
      return [{ id: "s", hash: `hash of ${command}`, definition: { command }, ...about }];
    };
    config.pending.mockResolvedValueOnce(waiting("good")).mockResolvedValue(waiting("evil"));
    const surroundings = { stdin, stdout, stderr } as unknown as Parameters<typeof trustServer>[2];
    const status = trustServer("s", { config: [], mcpServer: [] }, surroundings);
    await vi.waitFor(() => expect(String(stderr!.read() ?? "")).toContain("Use the server s?"));
    expect(String(stdout!.read())).toContain('"good"');
    stdin!.write("y\r");
    expect(await status).toBe(0);
    expect(config.trust.mock.calls).toEqual([["s", "hash of good"]]);
  },
);
