/** Reads the registry that a command names, and shows on the terminal that the command waits for it. */
import type { RegistryClient } from "@plugboard/config/registry";
import { openRegistry } from "@plugboard/host/internal";
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
    return await read(await openRegistry(env, url));
  } finally {
    phases.stop();
  }
}
