/** The token that a client gets when it is connected by URL. Each client has its own, so that it can be revoked alone. */
import type { ClientName, Env } from "@plugboard/contracts";
import { deleteNamedToken, findNamedToken } from "./named-tokens.ts";

export function clientTokenName(client: ClientName): string {
  return `connect-${client}`;
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

/** Revokes the token that was in the client's file. Leaves tokens that the user has made. */
export async function revokeClientToken(env: Env, client: ClientName, token: string | undefined): Promise<void> {
  const stored = token === undefined ? undefined : await findNamedToken(env, token);
  if (stored?.name === clientTokenName(client)) await deleteNamedToken(env, stored.name);
}
