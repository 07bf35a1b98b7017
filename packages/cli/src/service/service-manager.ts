/** The system's service manager, which starts the host when the user logs in and again after a crash. */
import { homedir } from "node:os";
import { HostError } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { launchd } from "./launchd.ts";
import { systemd } from "./systemd.ts";

/** How the service runs the host. */
export interface ServiceSpec {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The folder whose servers the host offers. */
  readonly folder: string;
  /** The variables that the host needs. A service does not get those of the user's shell. */
  readonly env: { readonly [name: string]: string };
  /** The file for the output of the host, where the service manager has no log of its own. */
  readonly log: string;
}

export interface ServiceManager {
  readonly name: "systemd" | "launchd";
  /** The path of the service's file. */
  readonly file: string;
  /** Returns the content of the service's file. */
  render(spec: ServiceSpec): string;
  /** The commands that make the manager read a written file, and start the service now and at each login. */
  readonly install: readonly ServiceCommand[];
  /** The commands that stop the service and forget it. They run before the file is removed. */
  readonly uninstall: readonly ServiceCommand[];
  readonly restart: ServiceCommand;
  /** A command whose output says whether the service is running. */
  readonly status: ServiceCommand;
  isRunning(statusOutput: string): boolean;
  /** Says where the output of the service is. */
  logPlace(spec: ServiceSpec): string;
}

export interface ServiceCommand {
  readonly words: readonly string[];
  /** True if a failure means that there is nothing to do. */
  readonly mayFail?: true;
}

/** Throws SERVICE_FAILED on a system without a known service manager. */
export function findServiceManager(env: Env, platform = process.platform): ServiceManager {
  const home = env["HOME"] ?? homedir();
  if (platform === "linux") return systemd(home, env);
  if (platform === "darwin") return launchd(home, process.getuid!());
  throw new HostError("SERVICE_FAILED", { reason: `Plugboard knows no service manager of ${platform}` });
}
