/** Where the files of other clients are for a managed workspace. */
import { homedir } from "node:os";
import type { ManagedPlace } from "./host-management.ts";

export function clientPlaces({ cwd, env }: ManagedPlace) {
  return { home: env["HOME"] || homedir(), project: cwd, env, platform: process.platform };
}
