/** The gateway as an OAuth resource server: turns access tokens of the external issuer into principals. */
import type { Clock } from "@plugboard/gateway";
import type { GatewayAuth } from "@plugboard/host/internal";
import { toCaller } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { JwtVerifier } from "./jwt-verifier.ts";

export interface ResourceServerOptions {
  readonly clock: Clock;
  /** The least time between two requests for the issuer's keys. */
  readonly keyCooldownMs?: number | undefined;
}

export class ResourceServer {
  readonly auth: GatewayAuth;
  readonly #verifier: JwtVerifier;

  constructor(auth: GatewayAuth, { clock, keyCooldownMs }: ResourceServerOptions) {
    this.auth = auth;
    this.#verifier = new JwtVerifier(auth, { clock, cooldownMs: keyCooldownMs });
  }

  /** Returns undefined for an invalid token. Without any of the configured scopes, the principal has no profile. */
  async authenticate(token: string): Promise<Principal | undefined> {
    const verified = await this.#verifier.verify(token);
    if (!verified) return undefined;
    const { scopes, approveScope } = this.auth;
    const profiles = verified.scopes.flatMap((scope) => (Object.hasOwn(scopes, scope) ? [scopes[scope]!] : []));
    return {
      // Names of tokens contain no colon, so a subject can't be taken for one.
      caller: toCaller(`oauth:${verified.subject}`),
      kind: "subject",
      mayApprove: approveScope !== undefined && verified.scopes.includes(approveScope),
      ...(!profiles.includes(ALL_SERVERS) && { profiles: [...new Set(profiles)] }),
    };
  }
}

/** Stands for all servers in the place of a profile. */
const ALL_SERVERS = "*";
