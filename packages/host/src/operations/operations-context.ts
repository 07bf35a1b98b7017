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
  /**
   * If true, a registry that the caller names must have a public address. The registry of the environment is always
   * allowed.
   */
  readonly publicRegistriesOnly?: boolean;
  /** Whether the caller has the right `read_secrets`, so that facts may have the values of variables. */
  readonly mayReadSecrets?: boolean;
}

/** The part of a host that operations use. */
type OperationsHost = Pick<Host, "open" | "release" | "bind">;

/**
 * Returns the running host. Without one, a command creates a host on first use, because most operations need no host.
 */
export type OpenHost = () => Promise<OperationsHost>;
