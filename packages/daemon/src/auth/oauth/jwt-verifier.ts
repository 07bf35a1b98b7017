/**
 * Verifies the access tokens of an external issuer, as an OAuth resource server has to. Checks the issuer, the
 * audience, the expiry, and the signature, which must use a key of the issuer and an algorithm of the list below. Loads
 * `jose` with the first token.
 */
import { HostError } from "@plugboard/contracts";
import type { GatewayAuth } from "@plugboard/config";
import type { Clock } from "@plugboard/contracts";
import type { JWTPayload } from "jose";
import { IssuerKeys, unreachable } from "./issuer-keys.ts";

export interface VerifiedToken {
  readonly subject: string;
  readonly scopes: readonly string[];
}

export interface JwtVerifierOptions {
  readonly clock: Clock;
  /** The least time between two requests for the issuer's keys. */
  readonly cooldownMs?: number | undefined;
}

/** The algorithms that sign with a private key. Others, or no signature, don't prove that the issuer made the token. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** Clocks of the issuer and of this machine may differ. */
const CLOCK_TOLERANCE_S = 30;
const MAX_SUBJECT_LENGTH = 255;
const COOLDOWN_MS = 30_000;

export class JwtVerifier {
  readonly #auth: GatewayAuth;
  readonly #clock: Clock;
  readonly #keys: IssuerKeys;

  constructor(auth: GatewayAuth, { clock, cooldownMs = COOLDOWN_MS }: JwtVerifierOptions) {
    this.#auth = auth;
    this.#clock = clock;
    this.#keys = new IssuerKeys({ issuer: auth.issuer, jwksUri: auth.jwksUri, clock, cooldownMs });
  }

  /** Returns undefined for an invalid token. Throws ISSUER_UNREACHABLE if it can't be checked. */
  async verify(token: string): Promise<VerifiedToken | undefined> {
    // A token that is no JWT must not cause a request to the issuer.
    if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return undefined;
    const { issuer, audience } = this.#auth;
    const { errors, jwtVerify } = await import("jose");
    try {
      const { payload } = await jwtVerify(token, await this.#keys.find(), {
        issuer,
        audience: [...audience],
        algorithms: ALGORITHMS,
        requiredClaims: ["exp", "sub"],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(this.#clock.now()),
      });
      return toVerifiedToken(payload);
    } catch (error) {
      // `jose` throws ERR_JOSE_GENERIC if the URL of the keys answers with an error.
      const isAboutToken =
        error instanceof errors.JOSEError && !KEY_ERRORS.includes(error.code) && error.code !== "ERR_JOSE_GENERIC";
      if (isAboutToken) return undefined;
      throw error instanceof HostError
        ? error
        : unreachable(issuer, `its keys can't be read (${(error as Error).message})`, error);
    }
  }
}

/** The codes of `jose` that say that the issuer's keys are not available. */
const KEY_ERRORS = ["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"];

function toVerifiedToken(payload: JWTPayload): VerifiedToken | undefined {
  const { sub, scope, scp } = payload;
  // A subject is shown to people, so it must not contain control characters.
  if (typeof sub !== "string" || sub === "" || sub.length > MAX_SUBJECT_LENGTH || /[\u0000-\u001f\u007f]/.test(sub)) {
    return undefined;
  }
  return { subject: sub, scopes: [...scopesOf(scope), ...scopesOf(scp)] };
}

/** Reads `scope` (RFC 9068), or `scp`, which some issuers use instead, as a list or a text. */
function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter(Boolean);
  return Array.isArray(claim) ? claim.filter((one): one is string => typeof one === "string") : [];
}
