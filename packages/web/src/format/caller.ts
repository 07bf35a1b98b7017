/** The origin of a call or a question, in words. Pure. */
import { sanitizeLine } from "@plugboard/contracts";
import type { CallerKind } from "@plugboard/contracts";

const KINDS: { readonly [Kind in CallerKind]: string } = {
  page: "the page",
  chat: "a chat",
  cli: "the command line",
  program: "a program",
  api: "a program with your token",
  front: "a client",
};

/** A client of the gateway has the name of its token, and the name that it gives itself. */
export function callerText({ kind, client, principal }: NamedCaller): string {
  const names = [...new Set([principal?.name, client])].filter((name) => name !== undefined).map(sanitizeLine);
  const [name = KINDS[kind], ownName] = names;
  return ownName === undefined ? name : `${name} (${ownName})`;
}

interface NamedCaller {
  readonly kind: CallerKind;
  readonly client?: string | undefined;
  readonly principal?: { readonly name: string } | undefined;
}
