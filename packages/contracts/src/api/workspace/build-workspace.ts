/** Builds a `Workspace` from the method table, and calls a method of a `Workspace` by its path. */
import type { Workspace } from "./workspace.ts";
import { WORKSPACE_METHODS } from "./workspace-methods.ts";
import type { WorkspaceMethodPath } from "./workspace-methods.ts";

type Method = (...args: readonly unknown[]) => Promise<unknown>;
type Methods = { [name: string]: Method | { [name: string]: Method } };

/** Builds a workspace whose method at each path is the result of `methodAt(path)`. */
export function buildWorkspace(methodAt: (path: WorkspaceMethodPath) => Method): Workspace {
  const built: Methods = {};
  for (const path of Object.keys(WORKSPACE_METHODS) as WorkspaceMethodPath[]) {
    const [group, name] = path.split(".") as [string, string?];
    if (name === undefined) built[group] = methodAt(path);
    else ((built[group] ??= {}) as { [name: string]: Method })[name] = methodAt(path);
  }
  return built as unknown as Workspace;
}

export async function callWorkspaceMethod(
  workspace: Workspace,
  path: WorkspaceMethodPath,
  args: readonly unknown[],
): Promise<unknown> {
  const methods = workspace as unknown as Methods;
  const [group, name] = path.split(".") as [string, string?];
  const method = name === undefined ? methods[group] : (methods[group] as { [name: string]: Method })[name];
  return (method as Method)(...args);
}
