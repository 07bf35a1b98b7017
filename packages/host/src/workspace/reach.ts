/** The servers of a workspace, as those need them who ask something of one or of all. */
import type { Connection } from "@plugboard/mcp";
import type { LogIn } from "../calls/calls.ts";
import type { OpTarget } from "../calls/ops.ts";

export interface Reach {
  /** Those that are in use and not denied, in the order they are configured. */
  servers(): Iterable<ReachedServer>;
  /** For that method. Throws SERVER_UNKNOWN for one that there is not, TOOL_DENIED for one that a rule denies as a whole. */
  one(id: string, method: string): ReachedServer;
}

export interface ReachedServer {
  readonly id: string;
  readonly timeouts: { readonly timeoutMs: number; readonly maxMs: number };
  /** Whether its definition lets it use the model. */
  readonly sampling?: boolean;
  /** Leased, opened when it is first asked for something. Throws for a server that can't be used. */
  connection(): Connection | Promise<Connection>;
  readonly logIn?: LogIn | undefined;
}

export async function targetOf(reached: ReachedServer): Promise<OpTarget> {
  const { id: server, timeouts, sampling, logIn } = reached;
  return { server, connection: await reached.connection(), ...timeouts, sampling, logIn };
}
