/** Finds the program on PATH whose name is most similar to a command that does not exist. */
import { readdir } from "node:fs/promises";
import { delimiter } from "node:path";
import type { Env } from "@plugboard/contracts";
import { nearest } from "@plugboard/contracts";

const MAX_LENGTH_DIFFERENCE = 2;

/** Returns undefined for a path, for a program that is on PATH, and if no name is similar. */
export async function nearestCommand(command: string, env: Env): Promise<string | undefined> {
  if (/[\\/\s]/.test(command) || command === "") return undefined;
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  // A folder that can't be read has no programs to suggest.
  const names = (await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))).flat();
  if (names.includes(command)) return undefined;
  // Drops names of another length first, because `nearest` compares only the first 5000 candidates.
  return nearest(
    command,
    names.filter(({ length }) => Math.abs(length - command.length) <= MAX_LENGTH_DIFFERENCE),
  );
}
