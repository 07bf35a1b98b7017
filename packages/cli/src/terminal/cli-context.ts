/** What a command may touch of the process it runs in. */
import type { Env } from "@plugboard/contracts";
import type { ReadStream, WriteStream } from "node:tty";

export interface CliContext {
  readonly cwd: string;
  readonly env: Env;
  readonly stdin: NodeJS.ReadStream | ReadStream;
  readonly stdout: NodeJS.WriteStream | WriteStream;
  readonly stderr: NodeJS.WriteStream | WriteStream;
  /** Shows a page in the user's browser, if there is one. */
  readonly openUrl: (url: string) => Promise<OpenUrlResult>;
  /** Ends the process, whatever still runs in it. */
  readonly exit: (status: number) => void;
}

export type OpenUrlResult = { readonly opened: true } | { readonly opened: false; readonly reason: string };
