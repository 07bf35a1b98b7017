/** Reads the JSON text of `--args`: the value itself, a file (`@file`) or stdin (`-`). */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { HostError } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";

export async function readArgsOption(
  option: string | undefined,
  { cwd, stdin }: CliContext,
): Promise<string | undefined> {
  if (option === "-") return text(stdin);
  if (!option?.startsWith("@")) return option;
  try {
    return await readFile(resolve(cwd, option.slice(1)), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`;
    throw new HostError("USAGE", { message: `--args ${option}: ${reason}` });
  }
}
