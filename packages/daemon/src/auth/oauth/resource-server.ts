/** The gateway as an OAuth resource server: turns access tokens of the external issuer into principals. */
import { compoundKey, sanitizeLine } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import type { GatewayAuth } from "@plugboard/config";
import { digestOf, shortDigest } from "@plugboard/host/tokens";
import type { TokenAccess } from "../token-access.ts";
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

  /**
   * Returns undefined for an invalid token. `profiles` is empty if the token has none of the configured scopes (no
   * servers), and absent if a scope stands for all servers.
   */
  async authenticate(token: string): Promise<TokenAccess | undefined> {
    const verified = await this.#verifier.verify(token);
    if (!verified) return undefined;
    const { issuer, scopes, approveScope } = this.auth;
    const { subject } = verified;
    const profiles = verified.scopes.flatMap((scope) => (Object.hasOwn(scopes, scope) ? [scopes[scope]!] : []));
    const mayApprove = approveScope !== undefined && verified.scopes.includes(approveScope);
    return {
      principal: {
        id: `oauth:${shortDigest(digestOf(compoundKey(issuer, subject)))}`,
        // Names of tokens contain no colon, so a subject can't be taken for one. A subject may contain any characters.
        name: sanitizeLine(`oauth:${subject}`),
        mayApprove,
      },
      holder: mayApprove ? "approving_subject" : "subject",
      ...(!profiles.includes(ALL_SERVERS) && { profiles: [...new Set(profiles)] }),
    };
  }
}

/** Stands for all servers in the place of a profile. */
const ALL_SERVERS = "*";
