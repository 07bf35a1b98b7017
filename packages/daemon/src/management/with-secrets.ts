/** Opens the secret store in the name of the owner for one task, such as a list or a few values. */
import type { WorkspaceSecrets } from "@plugboard/contracts";
import type { Host } from "@plugboard/host/internal";
import type { ManagedPlace } from "./host-management.ts";

export async function withSecrets<Result>(
  host: Pick<Host, "open" | "release" | "bind">,
  { cwd }: ManagedPlace,
  use: (secrets: WorkspaceSecrets) => Promise<Result>,
): Promise<Result> {
  const open = await host.open({ cwd });
  try {
    return await use(host.bind(open, { kind: "program", id: "secrets" }).secrets);
  } finally {
    await host.release(open);
  }
}
