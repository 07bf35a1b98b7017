/** Finds the principal of a request on the TCP port: the owner, or the client of a named token. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Caller } from "@plugboard/contracts";
import { digestOf } from "./named-tokens.ts";
import type { NamedToken } from "./named-tokens.ts";
import { OWNER_ID, toCaller } from "./principal.ts";
import type { Principal } from "./principal.ts";

export interface AuthenticatorOptions {
  readonly ownerToken: string;
  readonly tokens: {
    findByDigest(digest: string): Promise<NamedToken | undefined>;
    findByName(name: string): NamedToken | undefined;
  };
}

const OWNER: Principal = { caller: toCaller(OWNER_ID), kind: "owner", mayApprove: true };

export class Authenticator {
  readonly #ownerDigest: Buffer;
  readonly #tokens: AuthenticatorOptions["tokens"];

  constructor({ ownerToken, tokens }: AuthenticatorOptions) {
    this.#ownerDigest = sha256(ownerToken);
    this.#tokens = tokens;
  }

  /** Checks the `Authorization` header. Returns undefined if it has no valid bearer token. */
  async authenticate(authorization: string | undefined): Promise<Principal | undefined> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return undefined;
    if (timingSafeEqual(sha256(token), this.#ownerDigest)) return OWNER;
    const named = await this.#tokens.findByDigest(digestOf(token));
    if (!named) return undefined;
    const { name, profile, mayApprove } = named;
    return { caller: toCaller(name), kind: "client", mayApprove, ...(profile !== undefined && { profile }) };
  }

  /**
   * Returns true if the client's own permission prompt counts as the user's permission. A client without a token is one
   * of the socket, which only the owner can use.
   */
  mayApprove({ principal = OWNER_ID }: Caller): boolean {
    return principal === OWNER_ID || this.#tokens.findByName(principal)?.mayApprove === true;
  }
}

function sha256(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
