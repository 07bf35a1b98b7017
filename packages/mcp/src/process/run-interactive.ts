/** Runs a program that uses the terminal of this process, such as an editor, until it ends. Uses no shell. */
import { spawn as spawnProcess } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { explainSpawnFailure } from "./explain-spawn-failure.ts";
import type { Environment } from "./server-environment.ts";

type InteractiveResult = { readonly exitCode: number } | { readonly failed: string };

interface InteractiveOptions {
  readonly cwd: string;
  /** The whole environment of the program. */
  readonly env: Environment;
}

/** Ignores Ctrl-C meanwhile, because the terminal sends it to both processes, and it is meant for the program. */
export async function runInteractive(
  command: string,
  args: readonly string[],
  { cwd, env }: InteractiveOptions,
): Promise<InteractiveResult> {
  const ignore = () => {};
  process.on("SIGINT", ignore).on("SIGQUIT", ignore);
  try {
    // Windows starts `.cmd` files, such as that of Visual Studio Code, only with cross-spawn.
    const spawn = process.platform === "win32" ? (await import("cross-spawn")).default : spawnProcess;
    const child: ChildProcess = spawn(command, [...args], { cwd, env: { ...env }, stdio: "inherit" });
    const [code] = (await once(child, "exit")) as [number | null];
    return { exitCode: code ?? 1 };
  } catch (error) {
    const attempt = { command, cwd, env: {}, fullEnv: env };
    return { failed: await explainSpawnFailure(attempt, error as NodeJS.ErrnoException) };
  } finally {
    process.off("SIGINT", ignore).off("SIGQUIT", ignore);
  }
}
