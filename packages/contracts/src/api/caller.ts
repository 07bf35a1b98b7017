/** The caller: the client of the host that a call or a question belongs to. */

/** `program`: embeds the host. `front`: a client of the gateway. `page`: the web page. */
export type CallerKind = "program" | "cli" | "chat" | "page" | "front";

/** The client that makes a call. The host assigns it by the connection; a client can't choose it. */
export interface Caller {
  readonly kind: CallerKind;
  readonly id: string;
}

export function sameCaller(a: Caller, b: Caller): boolean {
  return a.kind === b.kind && a.id === b.id;
}
