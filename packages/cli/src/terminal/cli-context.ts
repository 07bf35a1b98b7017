/** The parts of the process that commands use: folder, environment, streams, browser and exit. */
import type { Env } from "@plugboard/contracts";
import type { ReadStream, WriteStream } from "node:tty";

export interface CliContext {
  readonly cwd: string;
  readonly env: Env;
  readonly stdin: NodeJS.ReadStream | ReadStream;
  readonly stdout: NodeJS.WriteStream | WriteStream;
  readonly stderr: NodeJS.WriteStream | WriteStream;
  /** Opens a page in the user's browser. */
  readonly openUrl: (url: string) => Promise<OpenUrlResult>;
  /** Ends the process immediately. */
  readonly exit: (status: number) => void;
}

export type OpenUrlResult = { readonly opened: true } | { readonly opened: false; readonly reason: string };
