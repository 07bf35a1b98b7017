/** Reads text that the command line gives itself, by a file (`@file`) or by stdin (`-`). */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { HostError } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";

type Input = Pick<CliContext, "cwd" | "stdin">;

/** Reads the value of `--args`. */
export async function readArgsOption(option: string | undefined, input: Input): Promise<string | undefined> {
  if (option === undefined || (option !== "-" && !option.startsWith("@"))) return option;
  return readTextFile(option === "-" ? "-" : option.slice(1), `--args ${option}`, input);
}

/** Reads a file, or stdin for the path `-`. `subject` names the argument in errors. */
export async function readTextFile(path: string, subject: string, input: Input): Promise<string> {
  const bytes = path === "-" ? await buffer(input.stdin) : await readBytes(resolve(input.cwd, path), subject);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new HostError("USAGE", { message: `${subject}: it is not UTF-8 text` }, { cause: error });
  }
}

async function readBytes(path: string, subject: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`;
    throw new HostError("USAGE", { message: `${subject}: ${reason}` }, { cause: error });
  }
}
