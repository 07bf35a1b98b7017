/** Finds the principal of a request on the TCP port: the owner, the client of a named token, or an OAuth subject. */
import { timingSafeEqual } from "node:crypto";
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

/** Checks the tokens of an external issuer. */
interface TokenIssuer {
  authenticate(token: string): Promise<Principal | undefined>;
}

const OWNER: Principal = { caller: toCaller(OWNER_ID), kind: "owner", mayApprove: true };
const MAX_APPROVING_SUBJECTS = 10_000;

export class Authenticator {
  readonly #ownerToken: Buffer;
  readonly #tokens: AuthenticatorOptions["tokens"];
  /** The subjects whose latest token lets them approve calls, ordered by last use. */
  readonly #approvingSubjects = new Set<string>();

  constructor({ ownerToken, tokens }: AuthenticatorOptions) {
    this.#ownerToken = Buffer.from(ownerToken);
    this.#tokens = tokens;
  }

  /** Checks the `Authorization` header. Returns undefined if it has no valid bearer token. */
  async authenticate(authorization: string | undefined, issuer?: TokenIssuer): Promise<Principal | undefined> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return undefined;
    if (this.#isOwnerToken(token)) return OWNER;
    const named = await this.#tokens.findByDigest(digestOf(token));
    if (named) {
      const { name, profile, mayApprove } = named;
      return {
        caller: toCaller(name),
        kind: "client",
        mayApprove,
        ...(profile !== undefined && { profiles: [profile] }),
      };
    }
    const subject = await issuer?.authenticate(token);
    if (subject) this.#rememberApproval(subject);
    return subject;
  }

  /**
   * Returns true if the client's own permission prompt counts as the user's permission. A client without a token is one
   * of the socket, which only the owner can use.
   */
  mayApprove({ principal = OWNER_ID }: Caller): boolean {
    if (principal === OWNER_ID || this.#approvingSubjects.has(principal)) return true;
    return this.#tokens.findByName(principal)?.mayApprove === true;
  }

  /** Takes the same time for each token of the right length, so that the time says nothing about the owner's token. */
  #isOwnerToken(token: string): boolean {
    const given = Buffer.from(token);
    return given.length === this.#ownerToken.length && timingSafeEqual(given, this.#ownerToken);
  }

  #rememberApproval({ caller, mayApprove }: Principal): void {
    this.#approvingSubjects.delete(caller.id);
    if (!mayApprove) return;
    this.#approvingSubjects.add(caller.id);
    if (this.#approvingSubjects.size <= MAX_APPROVING_SUBJECTS) return;
    const [oldest] = this.#approvingSubjects;
    this.#approvingSubjects.delete(oldest!);
  }
}
