/** Tests WorkspaceServer alone, with a pool that fails. */
import { NO_SORTED_TOOLS } from "#workspace/describe-server.js";
import { PendingSecrets } from "#workspace/pending-secrets.js";
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
      pendingSecrets: new PendingSecrets(),
    } as unknown as ServerPorts;
    const definition = stdioDefinition({ env: { KEY: { $secret: "key" } } });
    const sortTools = () => NO_SORTED_TOOLS;
    const options = { configured: configured(definition), ports, onServerChange: () => {}, sortTools };
    const server = new WorkspaceServer(options);
    await expect(server.lease()).rejects.toThrow("no lease");
  });
});
