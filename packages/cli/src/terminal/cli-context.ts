/** The parts of the process that commands use: folder, environment, streams, browser and exit. */
import type { OpenUrlResult } from "@plugboard/mcp/process";
import type { Env } from "@plugboard/contracts";
import type { ReadStream } from "node:tty";
import { LiveLine } from "./live-line.ts";
import { Output } from "./output.ts";
import type { OutputStream } from "./output.ts";

export interface ProcessContext {
  readonly cwd: string;
  readonly env: Env;
  readonly stdin: NodeJS.ReadStream | ReadStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Opens a page in the user's browser. */
  readonly openUrl: (url: string) => Promise<OpenUrlResult>;
  /** Ends the process immediately. */
  readonly exit: (status: number) => void;
}

export interface CliContext extends Omit<ProcessContext, "stdout" | "stderr"> {
  /** For results. */
  readonly stdout: Output;
  /** For everything else: progress, questions, warnings and errors. */
  readonly stderr: Output;
  /** Shows what the command waits for. */
  readonly liveLine: LiveLine;
  /** True if a person can answer a prompt. Stdout may be a pipe, because prompts go to stderr. */
  readonly canPrompt: boolean;
  /** True if a person also sees stdout, where commands show what they ask about. */
  readonly isInteractive: boolean;
}

export function makeCliContext(context: ProcessContext): CliContext {
  const { env, stdout, stderr, openUrl, exit } = context;
  const liveLine = new LiveLine(stderr, { isDumb: env["TERM"] === "dumb" });
  // Looks at stderr first, because opening stdin takes long.
  const canPrompt = () => stderr.isTTY === true && context.stdin.isTTY;
  return {
    // A getter, so that commands that don't use the folder also work in a deleted one.
    get cwd() {
      return context.cwd;
    },
    env,
    get stdin() {
      return context.stdin;
    },
    stdout: new Output(stdout, { env, liveLine }),
    stderr: new Output(stderr, { env, liveLine }),
    liveLine,
    // Getters, because opening stdin takes long.
    get canPrompt() {
      return canPrompt();
    },
    get isInteractive() {
      return canPrompt() && stdout.isTTY === true;
    },
    openUrl,
    exit,
  };
}
