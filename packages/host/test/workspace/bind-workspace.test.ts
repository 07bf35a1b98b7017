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
  "config.trust",
  "config.distrust",
  "permissions.revoke",
  "logins.list",
  "logins.setBackend",
];

async function openAs(kind: CallerKind) {
  const place = await makeTestProject();
  const host = await createBareHost({ env: place.env, config: [] });
  onTestFinished(() => host.close());
  return host.as(kind).workspace({ cwd: place.project });
}

/** Calls every method with arguments that exist nowhere. Returns the paths of the methods that threw FORBIDDEN. */
async function forbiddenPaths(kind: CallerKind): Promise<string[]> {
  const workspace = await openAs(kind);
  const forbidden: string[] = [];
  for (const path of PATHS.filter((one) => one !== "release")) {
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
  it.each(["chat", "front"] as const)("rejects the user's decisions from a caller of kind %s", async (kind) => {
    expect(await forbiddenPaths(kind)).toEqual(USER_ONLY);
    const workspace = await openAs(kind);
    const trust = workspace.inbox.answer("x", { type: "trust", decision: "yes" });
    await expect(trust).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it.each(["program", "cli", "page"] as const)("allows every method to a caller of kind %s", async (kind) => {
    expect(await forbiddenPaths(kind)).toEqual([]);
  });

  it("returns a rejected promise instead of throwing", async () => {
    const workspace = await openAs("program");
    const toggled = workspace.servers.toggle("x", true);
    await expect(toggled).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
  });
});
