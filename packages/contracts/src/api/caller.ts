export type CallerKind = "program" | "cli" | "chat" | "page" | "front";

/** Who asks for a call. Assigned from the connection it came by, never claimed by the caller itself. */
export interface Caller {
  readonly kind: CallerKind;
  readonly id: string;
}

export function sameCaller(a: Caller, b: Caller): boolean {
  return a.kind === b.kind && a.id === b.id;
}
