/** Opens the secret store in the name of the owner for one task, such as a list or a few values. */
import type { WorkspaceSecrets } from "@plugboard/contracts";
import type { OpenHost, OperationsPlace } from "./operations-context.ts";

export async function withSecrets<Result>(
  openHost: OpenHost,
  { cwd }: OperationsPlace,
  use: (secrets: WorkspaceSecrets) => Promise<Result>,
): Promise<Result> {
  const host = await openHost();
  const open = await host.open({ cwd });
  try {
    return await use(host.bind(open, { kind: "program", id: "secrets" }).secrets);
  } finally {
    await host.release(open);
  }
}
