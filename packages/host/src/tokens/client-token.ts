/**
 * The token that a client gets when it is connected by URL. Each client has its own token, which can be revoked alone.
 */
import type { ClientName, Env } from "@plugboard/contracts";
import { deleteNamedToken, findNamedToken, replaceNamedToken } from "./named-tokens.ts";

/** A token that becomes valid when it is written to the file of a client. */
export interface NewClientToken {
  readonly token: string;
  readonly profile: string | undefined;
}

/** Makes the token valid after `write` has written it to the client's file. Revokes the client's previous token. */
export function createClientToken(
  env: Env,
  client: ClientName,
  { token, profile }: NewClientToken,
  now: number,
  write: () => Promise<void>,
): Promise<void> {
  return replaceNamedToken(env, token, { name: clientTokenName(client), profile, mayApprove: false, now }, write);
}

/** Returns the token in the client's file if it is valid for the profile. */
export async function findClientToken(
  env: Env,
  client: ClientName,
  profile: string | undefined,
  token: string | undefined,
): Promise<string | undefined> {
  const stored = token === undefined ? undefined : await findNamedToken(env, token);
  return stored?.name === clientTokenName(client) && stored.profile === profile ? token : undefined;
}

/** Revokes the token that was in the client's file, unless the user has made that token. */
export async function revokeClientToken(env: Env, client: ClientName, token: string | undefined): Promise<void> {
  const stored = token === undefined ? undefined : await findNamedToken(env, token);
  if (stored?.name === clientTokenName(client)) await deleteNamedToken(env, stored.name);
}

function clientTokenName(client: ClientName): string {
  return `connect-${client}`;
}
