/**
 * Finds the principal of a request on the TCP port by its bearer token: the owner, the client of a named token, or a
 * subject of an external OAuth issuer. Also says which profiles and rights the token gives.
 */
import { timingSafeEqual } from "node:crypto";
import { OWNER } from "@plugboard/contracts";
import { digestOf, principalOf } from "@plugboard/host/tokens";
import type { NamedToken } from "@plugboard/host/tokens";
import type { TokenAccess } from "./token-access.ts";

export interface AuthenticatorOptions {
  readonly ownerToken: string;
  readonly tokens: { findByDigest(digest: string): Promise<NamedToken | undefined> };
}

/** Checks the tokens of an external issuer. */
interface TokenIssuer {
  authenticate(token: string): Promise<TokenAccess | undefined>;
}

const OWNER_ACCESS: TokenAccess = { principal: OWNER, holder: "owner_token" };

export class Authenticator {
  readonly #ownerToken: Buffer;
  readonly #tokens: AuthenticatorOptions["tokens"];

  constructor({ ownerToken, tokens }: AuthenticatorOptions) {
    this.#ownerToken = Buffer.from(ownerToken);
    this.#tokens = tokens;
  }

  /** Checks the `Authorization` header. Returns undefined if it has no valid bearer token. */
  async authenticate(authorization: string | undefined, issuer?: TokenIssuer): Promise<TokenAccess | undefined> {
    const token = authorization?.match(/^Bearer +(\S+) *$/i)?.[1];
    if (token === undefined) return undefined;
    if (this.#isOwnerToken(token)) return OWNER_ACCESS;
    const named = await this.#tokens.findByDigest(digestOf(token));
    if (!named) return issuer?.authenticate(token);
    const { profile, mayApprove } = named;
    const holder = mayApprove ? "approving_client" : "client";
    return { principal: principalOf(named), holder, ...(profile !== undefined && { profiles: [profile] }) };
  }

  /** Takes the same time for each token of the right length, so that the time says nothing about the owner's token. */
  #isOwnerToken(token: string): boolean {
    const given = Buffer.from(token);
    return given.length === this.#ownerToken.length && timingSafeEqual(given, this.#ownerToken);
  }
}
