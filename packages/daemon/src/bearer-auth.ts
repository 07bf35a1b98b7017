/** The tokens that open the front door. The owner's is made on first use and lies in the state folder. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Caller, Env } from "@plugboard/contracts";
import { ensureStateFolder, readOrCreateSecret } from "@plugboard/host/internal";

/** A shorter token could be guessed. */
const MIN_TOKEN_LENGTH = 32;

/** Throws CONFIG_INVALID if the token file holds a token that is too short. */
export async function ownerToken(env: Env): Promise<string> {
  const file = join(await ensureStateFolder(env), "token");
  const token = await readOrCreateSecret(file, () => `plugboard_${randomBytes(32).toString("base64url")}`);
  if (token.length >= MIN_TOKEN_LENGTH) return token;
  const reason = `the token in it has fewer than ${MIN_TOKEN_LENGTH} characters; delete it, and a new one is made`;
  throw new HostError("CONFIG_INVALID", { file, reason });
}

/** Who a bearer is; nothing for a token that is not ours. */
export class BearerAuth {
  readonly #owner: Buffer;

  constructor(ownerToken: string) {
    this.#owner = digest(ownerToken);
  }

  authenticate(authorization: string | undefined): Caller | undefined {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined || !timingSafeEqual(digest(token), this.#owner)) return undefined;
    return { kind: "front", id: "owner" };
  }
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
