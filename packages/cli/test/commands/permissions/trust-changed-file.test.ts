/** Tests `plugboard trust` while a host reloads the project's file between the question and the answer. */
import { PassThrough } from "node:stream";
import { trustWithOperations } from "#commands/permissions/trust-servers.js";
import { makeCliContext } from "#terminal/cli-context.js";
import type { ProcessContext } from "#terminal/cli-context.js";
import type { PendingServer } from "@plugboard/contracts";
import { expect, it, vi } from "vitest";

it(
  "plugboard trust approves the definition that was shown, even if the host has reloaded the file meanwhile",
  { meta: { covers: ["A1"] } },
  async () => {
    const [stdin, stdout, stderr] = [0, 1, 2].map(() => Object.assign(new PassThrough(), { isTTY: true }));
    const pendingServers = (command: string): PendingServer[] => {
      const otherFields = { source: "project", folder: "/p", transport: "stdio", variables: [] } as const;
      return [{ id: "s", hash: `hash of ${command}`, definition: { command }, ...otherFields }];
    };
    const operations = {
      pendingServers: vi.fn().mockResolvedValueOnce(pendingServers("good")).mockResolvedValue(pendingServers("evil")),
      trustStates: async () => pendingServers("good").map((pending) => ({ server: "s", state: "pending", pending })),
      trustServer: vi.fn().mockResolvedValue(undefined),
    };
    const context = { operations, interrupted: new AbortController().signal, interrupt: () => {} };
    const cli = makeCliContext({ stdin, stdout, stderr, env: {} } as unknown as ProcessContext);
    const input = { servers: ["s"], all: false, yes: false, revoke: false, config: [], mcpServer: [] };
    const status = trustWithOperations(context as never, input, cli);
    await vi.waitFor(() => expect(String(stderr!.read() ?? "")).toContain("Use the server s?"));
    expect(String(stdout!.read())).toContain('"good"');
    stdin!.write("y\r");
    expect(await status).toBe(0);
    expect(operations.trustServer.mock.calls).toEqual([["s", "hash of good"]]);
  },
);
