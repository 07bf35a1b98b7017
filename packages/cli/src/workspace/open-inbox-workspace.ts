/** Opens the workspace of a command that shows the questions of the running host. */
import type { Workspace, WorkspaceSpec } from "@plugboard/contracts";
import type { RemoteHost } from "@plugboard/remote";
import { renderProblem } from "../render/render-problem.ts";
import type { CliContext } from "../terminal/cli-context.ts";

/** While the config is broken, opens the workspace with the config that the host goes on with, and prints the error. */
export async function openInboxWorkspace(
  api: RemoteHost,
  spec: WorkspaceSpec,
  { stderr }: Pick<CliContext, "stderr">,
): Promise<Workspace> {
  const { workspace, problems } = await api.openWorkspace({ ...spec, lastValid: true });
  for (const problem of problems) if (problem.severity === "error") stderr.write(renderProblem(problem));
  return workspace;
}
