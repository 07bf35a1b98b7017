/** Authenticates requests on the TCP port by the owner's token, which is stored in the state folder. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Caller, Env } from "@plugboard/contracts";
import { ensureStateFolder, readOrCreateSecret } from "@plugboard/host/internal";

/** A shorter token would be easy to guess. */
const MIN_TOKEN_LENGTH = 32;

/** Reads the owner's token, or creates it on first use. Throws CONFIG_INVALID if the stored token is too short. */
export async function ownerToken(env: Env): Promise<string> {
  const file = join(await ensureStateFolder(env), "token");
  const token = await readOrCreateSecret(file, () => `plugboard_${randomBytes(32).toString("base64url")}`);
  if (token.length >= MIN_TOKEN_LENGTH) return token;
  const reason = `its token has fewer than ${MIN_TOKEN_LENGTH} characters; delete the file to get a new token`;
  throw new HostError("CONFIG_INVALID", { file, reason });
}

/** Checks the `Authorization` header against the owner's token. */
export class BearerAuth {
  readonly #ownerDigest: Buffer;

  constructor(ownerToken: string) {
    this.#ownerDigest = digest(ownerToken);
  }

  authenticate(authorization: string | undefined): Caller | undefined {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined || !timingSafeEqual(digest(token), this.#ownerDigest)) return undefined;
    return { kind: "front", id: "owner" };
  }
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
