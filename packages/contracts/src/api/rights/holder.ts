/** The holders of rights: who makes a request, and through which door. */
import { OWNER } from "../host/caller.ts";
import type { Caller, CallerKind } from "../host/caller.ts";

/** Each holder, with its description for the docs. */
export const HOLDERS = {
  stranger: "a request without a valid token, code or cookie",
  client: "a client with a token of `plugboard token create`",
  approving_client: "the same, created with `--may-approve`",
  subject: "a client with a token of the external OAuth issuer",
  approving_subject: "the same, with the approve scope",
  stdio: "a client that runs `plugboard stdio`, over the socket",
  chat: "a conversation (`plugboard chat`, `plugboard run`, a chat on the page), and the program that runs it. Its model only calls tools",
  app: "an App in its sandbox on the page",
  owner_token: "a program with the owner's token alone, over the port",
  page: "the page, signed in with a code from the socket",
  socket: "commands (`run` included) and programs of the user over the socket, and a program that embeds the host",
} as const;

export type Holder = keyof typeof HOLDERS;

export const ALL_HOLDERS = Object.keys(HOLDERS) as Holder[];

/** The holder of each kind of caller. For a front, it depends on the token. */
const HOLDER_OF_KIND: { readonly [Kind in Exclude<CallerKind, "front">]: Holder } = {
  program: "socket",
  cli: "socket",
  chat: "chat",
  page: "page",
  api: "owner_token",
};

/** A front with an OAuth token counts as a client: they differ only in `read_metrics`, which no caller needs. */
export function holderOf({ kind, principal }: Caller): Holder {
  if (kind !== "front") return HOLDER_OF_KIND[kind];
  if (!principal) return "stdio";
  if (principal.id === OWNER.id) return "owner_token";
  return principal.mayApprove ? "approving_client" : "client";
}
