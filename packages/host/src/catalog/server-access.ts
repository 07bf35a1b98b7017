/** The servers of a workspace, as those need them who ask something of one or of all. */
import type { Connection } from "@plugboard/mcp";
import type { RequestTarget } from "../calls/server-requests.ts";
import type { AskForLogin } from "../calls/with-login.ts";

export interface ServerAccess {
  /** Those that are in use and not denied, in the order they are configured. */
  all(): Iterable<AccessibleServer>;
  /** For that method. Throws SERVER_UNKNOWN for one that there is not, TOOL_DENIED for one that a rule denies as a whole. */
  get(id: string, method: string): AccessibleServer;
}

export interface AccessibleServer {
  readonly id: string;
  readonly timeouts: { readonly timeoutMs: number; readonly maxMs: number };
  /** Whether its definition lets it use the model. */
  readonly sampling?: boolean;
  /** Leased, opened when it is first asked for something. Throws for a server that can't be used. */
  connection(): Connection | Promise<Connection>;
  readonly askForLogin?: AskForLogin | undefined;
}

export async function requestTarget(accessible: AccessibleServer): Promise<RequestTarget> {
  const { id: server, timeouts, sampling, askForLogin } = accessible;
  return { server, connection: await accessible.connection(), ...timeouts, sampling, askForLogin };
}
