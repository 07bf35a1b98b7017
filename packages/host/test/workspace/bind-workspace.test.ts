/** Tests which callers may use which methods of a workspace. */
import { callMethod, hasRight, holderOf, isHostError, WORKSPACE_METHODS } from "@plugboard/contracts";
import type { CallerKind, WorkspaceMethodPath } from "@plugboard/contracts";
import { createBareHost } from "@plugboard/host/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeTestProject } from "../helpers/test-project.ts";

const PATHS = Object.keys(WORKSPACE_METHODS) as WorkspaceMethodPath[];
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
    await callMethod(workspace, path, args.slice(0, WORKSPACE_METHODS[path].params.length)).catch((error: unknown) => {
      if (isHostError(error) && error.code === "FORBIDDEN") forbidden.push(path);
    });
  }
  return forbidden;
}

describe("bindWorkspace", () => {
  it.each(["program", "cli", "chat", "page", "api", "front"] as const)(
    "allows a caller of kind %s the methods that the table of rights gives it",
    async (kind) => {
      const holder = holderOf({ kind, id: "x" });
      const withoutRight = PATHS.filter((path) => !hasRight(holder, WORKSPACE_METHODS[path].right));
      expect(await forbiddenPaths(kind)).toEqual(withoutRight);
      const workspace = await openAs(kind);
      const trust = workspace.inbox.answer("x", { type: "trust", decision: "yes" });
      await expect(trust).rejects.toMatchObject({ code: hasRight(holder, "trust") ? "QUESTION_GONE" : "FORBIDDEN" });
    },
  );

  it("lets neither a conversation nor a gateway client decide about trust, permissions, logins and secrets", async () => {
    for (const kind of ["chat", "front"] as const)
      expect(await forbiddenPaths(kind)).toEqual(
        expect.arrayContaining([
          "servers.login",
          "tools.describe",
          "config.trust",
          "permissions.revoke",
          "logins.list",
          "secrets.set",
        ]),
      );
  });

  it("makes methods return a rejected promise instead of throwing", async () => {
    const workspace = await openAs("program");
    const toggled = workspace.servers.toggle("x", true);
    await expect(toggled).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
  });
});
