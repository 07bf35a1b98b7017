/** Reads the registry that a command names, and shows on the terminal that the command waits for it. */
import { loadRegistry } from "@plugboard/host/internal";
import type { RegistryClient } from "@plugboard/host/internal";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showPhases } from "../../workspace/show-phases.ts";

/** `url` is the value of `--registry`. Throws USAGE if the URL is not valid. */
export async function readRegistry<T>(
  url: string | undefined,
  { env, liveLine }: CliContext,
  read: (client: RegistryClient) => Promise<T>,
): Promise<T> {
  const phases = showPhases(liveLine, "reading the registry");
  try {
    const { RegistryClient } = await loadRegistry();
    return await read(new RegistryClient(url ?? (env["PLUGBOARD_REGISTRY_URL"] || undefined)));
  } finally {
    phases.stop();
  }
}
