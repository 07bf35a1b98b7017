/** The caller: the client that a call or a question belongs to. */

/**
 * `program`: a program that embeds the host. `front`: a client of the gateway. `page`: the web page. `api`: a program
 * with the owner's token.
 */
export type CallerKind = "program" | "cli" | "chat" | "page" | "api" | "front";

/**
 * Returns whether a user behind such a caller answers all questions of its workspace, and not only the caller's own.
 */
export function answersForWorkspace(kind: CallerKind): boolean {
  return kind === "program" || kind === "page" || kind === "api";
}

/** The holder of the token that a request came with. */
export interface Principal {
  /**
   * Identifies the principal among all that ever existed. The owner's id is constant. Other ids are made of the digest
   * of a named token, or of issuer and subject. Keys of stored data contain the id.
   */
  readonly id: string;
  /** The name that people know it by: the name of the token, or `oauth:` and the subject. Not unique over time. */
  readonly name: string;
  /**
   * True if the client's own permission prompt counts as the user's permission. It is a right of the token of this
   * request.
   */
  readonly mayApprove: boolean;
}

/** The user of this host. No named token may have this name. */
export const OWNER: Principal = { id: "owner", name: "owner", mayApprove: true };

/** The client that makes a call. The host assigns it to a connection, so that a client can't pretend to be another. */
export interface Caller {
  readonly kind: CallerKind;
  readonly id: string;
  /**
   * The holder of the token, for a client of the gateway over HTTP. Several callers may have the same principal. All
   * callers without a token are the owner's.
   */
  readonly principal?: Principal;
  /** The name that a client of the gateway gives itself. It is not authenticated. */
  readonly client?: string;
}

/** Returns the name of a client of the gateway. The name of its token comes first, because it is authenticated. */
export function clientNameOf({ principal, client }: Pick<Caller, "principal" | "client">): string | undefined {
  return principal?.name ?? client;
}

/** Returns the id of the principal that the caller belongs to. Callers without a token are the owner's. */
export function principalIdOf({ principal = OWNER }: Pick<Caller, "principal">): string {
  return principal.id;
}

/**
 * Returns the id under which limits and results are counted. All callers with the same token share it. Every other
 * caller has its own.
 */
export function accountOf({ principal, id }: Caller): string {
  return principal?.id ?? id;
}

export function sameCaller(a: Caller, b: Caller): boolean {
  return a.kind === b.kind && a.id === b.id;
}
