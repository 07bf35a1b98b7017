/** Where the files of other clients are for a managed workspace. */
import { homedir } from "node:os";
import type { OperationsPlace } from "../operations-context.ts";

export function clientPlaces({ cwd, env }: OperationsPlace) {
  return { home: env["HOME"] || homedir(), project: cwd, env, platform: process.platform };
}
