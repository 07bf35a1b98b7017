/** The caller: the client that a call or a question belongs to. */

/** `program`: a program that embeds the host. `front`: a client of the gateway. `page`: the web page. */
export type CallerKind = "program" | "cli" | "chat" | "page" | "front";

/** The client that makes a call. The host assigns it to a connection, so that a client can't pretend to be another. */
export interface Caller {
  readonly kind: CallerKind;
  readonly id: string;
  /** The owner of the token, for a client of the gateway over HTTP. Several callers may have the same. `ConnectedClient` calls it `token`. */
  readonly principal?: string;
  /** The name that a client of the gateway gives itself. It is not authenticated. */
  readonly client?: string;
}

/** Returns the name of a client of the gateway. The name of its token comes first, because it is authenticated. */
export function clientNameOf({ principal, client }: Pick<Caller, "principal" | "client">): string | undefined {
  return principal ?? client;
}

export function sameCaller(a: Caller, b: Caller): boolean {
  return a.kind === b.kind && a.id === b.id;
}
