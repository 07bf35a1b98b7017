/** Tests which changes of servers are reported to a listener. */
import { ContentChanges } from "#workspace/content-changes.js";
import type { WorkspaceServer } from "#workspace/workspace-server.js";
import { describe, expect, it, vi } from "vitest";

function server(capabilities: { readonly resources?: boolean; readonly prompts?: boolean }): WorkspaceServer {
  const connection = { catalogAvailable: true, serverInfo: { capabilities } };
  return { id: "s", hidden: false, connection } as unknown as WorkspaceServer;
}

describe("ContentChanges", () => {
  it("reports no change for a server that had resources already before anyone listened", () => {
    const changes = new ContentChanges([server({ resources: true })]);
    const listener = vi.fn();
    changes.onChanged("resources", listener);
    changes.handleServerChange(server({ resources: true }));
    expect(listener).not.toHaveBeenCalled();
    changes.handleServerChange(server({}));
    expect(listener).toHaveBeenCalledOnce();
  });
});
