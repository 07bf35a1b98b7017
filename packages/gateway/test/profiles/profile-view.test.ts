/** Tests how the view of a profile follows the config. */
import type { Policy } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { Profile } from "@plugboard/contracts";
import { ProfileView } from "#profiles/profile-view.js";
import { describe, expect, it, vi } from "vitest";

/** A workspace whose config the test changes. `listeners` holds the registered listeners. */
function workspaceWith(first: Profile | undefined) {
  let profile = first;
  let listed: object[] = [];
  let unmet = false;
  const listeners = new Set<() => void>();
  const add = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const policy = { rules: [], findServerDenial: () => undefined, isAlwaysDenied: () => false } as unknown as Policy;
  const policyWith = vi.fn<OpenWorkspace["policyWith"]>(() => policy);
  const workspace = {
    profile: () => profile,
    policyWith,
    onConfigRead: add,
    tools: { view: () => ({ list: () => listed }), onChanged: add, hasUnmetSchema: () => unmet },
    forwarding: { onChanged: (_: string, listener: () => void) => add(listener) },
  } as unknown as OpenWorkspace;
  const readConfig = (next: Profile | undefined) => {
    profile = next;
    for (const listener of listeners) listener();
  };
  const setTools = (tools: object[], hasUnmetSchema = false) => {
    [listed, unmet] = [tools, hasUnmetSchema];
    for (const listener of listeners) listener();
  };
  return { workspace, policyWith, listeners, readConfig, setTools };
}

describe("ProfileView", () => {
  it("calls its listeners only if a change of the config changes the profile", () => {
    const { workspace, readConfig } = workspaceWith({ servers: ["a"] });
    const view = new ProfileView(workspace, "work");
    const onViewChanged = vi.fn();
    view.onViewChanged(onViewChanged);
    readConfig({ servers: ["a"] });
    expect(onViewChanged).not.toHaveBeenCalled();
    readConfig({ servers: ["b"], max_result_bytes: 2000 });
    expect(onViewChanged).toHaveBeenCalledOnce();
    expect(["a", "b"].map((server) => view.includes(server))).toEqual([false, true]);
    expect(view.maxResultBytes).toBe(2000);
  });

  it("has no servers, and denies waiting calls, after the profile is removed", () => {
    const { workspace, policyWith, readConfig } = workspaceWith({});
    const view = new ProfileView(workspace, "work");
    expect(view.includesTool({ server: "a", tool: "t" })).toBe(true);
    readConfig(undefined);
    expect(view.includes("a")).toBe(false);
    expect(view.includesTool({ server: "a", tool: "t" })).toBe(false);
    expect(policyWith.mock.lastCall).toEqual([{ deny: ["*"] }]);
  });

  it("includes the whole workspace if it has no profile name", () => {
    const { workspace, policyWith } = workspaceWith(undefined);
    expect(new ProfileView(workspace).includes("a")).toBe(true);
    expect(policyWith.mock.calls).toEqual([[{}]]);
  });

  it("calls listeners of tools only if clients see a difference", () => {
    const { workspace, setTools } = workspaceWith({});
    const onChanged = vi.fn();
    new ProfileView(workspace, "work").onChanged("tools", onChanged);
    const tool = (description: string) => ({
      ...{ name: "s__t", server: "s", tool: "t" },
      definition: { name: "t", description, inputSchema: {}, outputSchema: {} },
    });
    const callsAfter = (change: () => void) => {
      change();
      return onChanged.mock.calls.length;
    };
    expect(callsAfter(() => setTools([]))).toBe(0);
    expect(callsAfter(() => setTools([tool("a")]))).toBe(1);
    // The server has connected again and lists the same tools.
    expect(callsAfter(() => setTools([tool("a")]))).toBe(1);
    expect(callsAfter(() => setTools([tool("b")]))).toBe(2);
    expect(callsAfter(() => setTools([tool("b")], true))).toBe(3);
    expect(callsAfter(() => setTools([{ ...tool("b"), name: "s__u" }], true))).toBe(4);
    expect(callsAfter(() => setTools([]))).toBe(5);
  });

  it.each(["tools", "resources", "prompts"] as const)("leaves no listener for %s in the workspace", (part) => {
    const { workspace, listeners } = workspaceWith({});
    const view = new ProfileView(workspace, "work");
    const stop = view.onChanged(part, () => {});
    expect(listeners.size).toBe(2);
    stop();
    view.close();
    expect(listeners.size).toBe(0);
  });
});
