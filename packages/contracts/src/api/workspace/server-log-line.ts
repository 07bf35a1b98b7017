import type { LogLevel } from "../../protocol/log-entry.ts";

/** One line of the log of a server. `at` is the time at which the host received it, in milliseconds since 1970. */
export type ServerLogLine =
  | { readonly at: number; readonly stream: "stderr"; readonly text: string }
  | {
      readonly at: number;
      readonly stream: "log";
      readonly level: LogLevel;
      readonly logger?: string;
      readonly text: string;
    }
  /** The number of bytes that were dropped before the next line, because the server printed too much. */
  | { readonly at: number; readonly stream: "lost"; readonly bytes: number };
