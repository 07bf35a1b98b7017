/** Returns the places where the config files of other clients are searched. */
import { homedir } from "node:os";
import type { OperationsPlace } from "../operations-context.ts";

export function clientPlaces({ cwd, env }: OperationsPlace) {
  return { home: env["HOME"] || homedir(), project: cwd, env, platform: process.platform };
}
