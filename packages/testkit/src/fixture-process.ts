/** Runs a fixture as a child process of the test and collects its output. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { OutputBuffer } from "./output-buffer.ts";

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

export interface FixtureProcess {
  readonly pid: number | undefined;
  readonly stdout: OutputBuffer;
  readonly stderr: OutputBuffer;
  /** Kills the process and resolves when it has exited. */
  close(signal?: NodeJS.Signals): Promise<void>;
}

/** The user that the process runs as, if not the current one. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

export function startFixture(
  { command, args }: Command,
  env: NodeJS.ProcessEnv = process.env,
  user?: ProcessUser,
): FixtureProcess {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"], ...user });
  const exited = once(child, "exit");
  const stdout = collect(child.stdout, "it closed stdout");
  const stderr = collect(child.stderr, "it closed stderr");

  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    pid: child.pid,
    stdout,
    stderr,
    async close(signal = "SIGKILL") {
      process.off("exit", kill);
      child.kill(signal);
      await exited;
    },
  };
}

function collect(stream: NodeJS.ReadableStream, end: string): OutputBuffer {
  const text = new OutputBuffer();
  stream.setEncoding("utf8");
  stream.on("data", (piece: string) => text.append(piece));
  stream.on("end", () => text.close(end));
  return text;
}
