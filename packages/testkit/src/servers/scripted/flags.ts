/** The command line flags of the scripted legacy server. */
import { parseArgs } from "node:util";

export interface Flags {
  /** Never answers `server/discover`. */
  readonly silentOnDiscover: boolean;
  /** Exits with code 1 if the first message is not `initialize`. */
  readonly exitOnDiscover: boolean;
  /** How long it waits after its start before it reads. */
  readonly slowStartMs: number;
  /** Reads everything and never answers. */
  readonly neverStart: boolean;
  /** Ignores SIGTERM and the end of stdin. */
  readonly ignoreTerm: boolean;
  /** Starts a process that keeps stdout open, and writes `grandchild <pid>` to stderr. */
  readonly grandchild: boolean;
  /** Lists one tool without a name among valid ones. */
  readonly badTool: boolean;
  /** The number of pages of the tool list. */
  readonly pages: number;
  /** Declares the `listChanged` capability. */
  readonly listChanged: boolean;
  /** The protocol revision in its `initialize` response. */
  readonly revision: string;
}

export function readFlags(args: readonly string[]): Flags {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      "silent-on-discover": flag,
      "exit-on-discover": flag,
      "slow-start": { type: "string", default: "0" },
      "never-start": flag,
      "ignore-term": flag,
      grandchild: flag,
      "bad-tool": flag,
      "list-changed": flag,
      pages: { type: "string", default: "1" },
      revision: { type: "string", default: "2025-11-25" },
    },
  });
  return {
    silentOnDiscover: values["silent-on-discover"],
    exitOnDiscover: values["exit-on-discover"],
    slowStartMs: Number(values["slow-start"]),
    neverStart: values["never-start"],
    ignoreTerm: values["ignore-term"],
    grandchild: values.grandchild,
    badTool: values["bad-tool"],
    listChanged: values["list-changed"],
    pages: Number(values.pages),
    revision: values.revision,
  };
}
