/** Tests which callers may use which methods of a workspace. */
import { callWorkspaceMethod, isHostError, WORKSPACE_METHODS } from "@plugboard/contracts";
import type { CallerKind, WorkspaceMethodPath } from "@plugboard/contracts";
import { createBareHost } from "@plugboard/host/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeTestProject } from "../helpers/test-project.ts";

const PATHS = Object.keys(WORKSPACE_METHODS) as WorkspaceMethodPath[];
const USER_ONLY = [
  "servers.login",
  "servers.logout",
  "tools.describe",
  "config.trust",
  "config.distrust",
  "permissions.revoke",
  "logins.list",
  "logins.setBackend",
  "secrets.list",
  "secrets.set",
  "secrets.remove",
];

async function openAs(kind: CallerKind) {
  const testProject = await makeTestProject();
  const host = await createBareHost({ env: testProject.env, config: [] });
  onTestFinished(() => host.close());
  return host.as(kind).workspace({ cwd: testProject.project });
}

/** Calls every method with unknown ids. Returns the paths of the methods that threw FORBIDDEN. */
async function forbiddenPaths(kind: CallerKind): Promise<string[]> {
  const workspace = await openAs(kind);
  const forbidden: string[] = [];
  for (const path of PATHS.filter((name) => name !== "release")) {
    const args = path === "inbox.answer" ? ["x", { type: "permission" }] : ["x", "x"];
    await callWorkspaceMethod(workspace, path, args.slice(0, WORKSPACE_METHODS[path].params.length)).catch(
      (error: unknown) => {
        if (isHostError(error) && error.code === "FORBIDDEN") forbidden.push(path);
      },
    );
  }
  return forbidden;
}

describe("bindWorkspace", () => {
  it.each(["chat", "front"] as const)(
    "forbids a caller of kind %s to see hidden tools, and to decide about trust, permissions, logins and secrets",
    async (kind) => {
      expect(await forbiddenPaths(kind)).toEqual(USER_ONLY);
      const workspace = await openAs(kind);
      const trust = workspace.inbox.answer("x", { type: "trust", decision: "yes" });
      await expect(trust).rejects.toMatchObject({ code: "FORBIDDEN" });
    },
  );

  it.each(["program", "cli", "page"] as const)("allows every method to a caller of kind %s", async (kind) => {
    expect(await forbiddenPaths(kind)).toEqual([]);
  });

  it("makes methods return a rejected promise instead of throwing", async () => {
    const workspace = await openAs("program");
    const toggled = workspace.servers.toggle("x", true);
    await expect(toggled).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
  });
});
