/**
 * The exit statuses of the command, with one row each. `plugboard --help` and `docs/cli.md` list them in this order.
 */
export const EXIT_STATUSES = {
  ok: { status: 0, meaning: "success" },
  reported: { status: 1, meaning: "the tool or the doctor reports an error" },
  invalid: { status: 2, meaning: "invalid usage, config or arguments" },
  unavailable: { status: 3, meaning: "no server, host or model answers" },
  failed: { status: 4, meaning: "the call or turn failed" },
  denied: { status: 5, meaning: "not permitted" },
  /** EX_SOFTWARE */
  defect: { status: 70, meaning: "a defect in Plugboard" },
  /** EX_IOERR */
  ioError: { status: 74, meaning: "the output could not be written" },
  // 128 plus the number of the signal, as a shell reports it.
  SIGHUP: { status: 129, meaning: "ended by SIGHUP" },
  SIGINT: { status: 130, meaning: "ended by SIGINT (Ctrl-C)" },
  SIGPIPE: { status: 141, meaning: "the reader of stdout closed the pipe" },
  SIGTERM: { status: 143, meaning: "ended by SIGTERM" },
} as const satisfies { readonly [name: string]: { readonly status: number; readonly meaning: string } };

export type ExitStatus = (typeof EXIT_STATUSES)[keyof typeof EXIT_STATUSES]["status"];
