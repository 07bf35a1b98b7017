/** The types that all operations get: where they read and write, and the host that they may open. */
import type { Env, WorkspaceSpec } from "@plugboard/contracts";
import type { Host } from "../core/host.ts";

/** The folder whose config files are changed, and the environment that determines the paths of the files. */
export interface OperationsPlace {
  readonly cwd: string;
  readonly env: Env;
  /** The files of `--config`. */
  readonly configFiles: readonly string[];
  /** The servers of `--mcp-server`. */
  readonly servers?: WorkspaceSpec["servers"];
  /** Whether the caller may name a registry only if it has a public address. That of the environment is always allowed. */
  readonly publicRegistriesOnly?: boolean;
}

/** The methods of a host that the test of a server needs. */
type OperationsHost = Pick<Host, "open" | "release" | "bind">;

/**
 * Returns the running host. Without one, a command creates a host on first use, because most operations need no host.
 */
export type OpenHost = () => Promise<OperationsHost>;
