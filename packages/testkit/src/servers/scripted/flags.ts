/** The behaviours of the scripted legacy server that are chosen on its command line. */
import { parseArgs } from "node:util";

export interface Flags {
  /** Never answers `server/discover`. */
  readonly silentOnDiscover: boolean;
  /** Exits with code 1 if the first message is not `initialize`. */
  readonly exitOnDiscover: boolean;
  /** How long it reads nothing after its start. */
  readonly slowStartMs: number;
  /** Reads everything and answers nothing. */
  readonly neverStart: boolean;
  /** Survives SIGTERM and the end of its input. */
  readonly ignoreTerm: boolean;
  /** Starts a process that holds stdout, and writes `grandchild <pid>` to stderr. */
  readonly grandchild: boolean;
  /** Lists one tool without a name among the good ones. */
  readonly badTool: boolean;
  /** How many pages the list of tools comes in. */
  readonly pages: number;
  /** Declares that it tells when its list of tools changes. */
  readonly listChanged: boolean;
  /** The revision it answers `initialize` with. */
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
