/** Tests WorkspaceServer alone, with a pool that fails. */
import { WorkspaceServer } from "#workspace/workspace-server.js";
import type { ServerPorts } from "#workspace/workspace-server.js";
import { describe, expect, it } from "vitest";
import { configured, stdioDefinition } from "../../../config/test/helpers/small-definitions.ts";

describe("WorkspaceServer.lease", () => {
  it("rejects if the pool throws after a secret was fetched", async () => {
    const ports = {
      pool: {
        lease() {
          throw new Error("no lease");
        },
      },
      env: {},
      resolve: { secrets: async () => "value" },
      capabilities: { forServer: () => ({ clientCapabilities: {}, capabilitiesKey: {} }) },
      logins: { credentialsFor: () => undefined },
      emit: () => {},
    } as unknown as ServerPorts;
    const definition = stdioDefinition({ env: { KEY: { $secret: "key" } } });
    const server = new WorkspaceServer({ configured: configured(definition), ports, onServerChange: () => {} });
    await expect(server.lease()).rejects.toThrow("no lease");
  });
});
