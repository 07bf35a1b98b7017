/** Where the files of other clients are for a command. */
import { homedir } from "node:os";
import type { CliContext } from "../../terminal/cli-context.ts";

export function clientPlaces({ cwd, env }: CliContext) {
  return { home: homedir(), project: cwd, env, platform: process.platform };
}
