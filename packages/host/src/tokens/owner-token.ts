/** The owner's token, which is stored in the state folder. Its holder is the user whose host this is. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { ensureStateFolder, readOrCreateSecret } from "@plugboard/store";

/** A shorter token would be easy to guess. */
const MIN_TOKEN_LENGTH = 32;

/** Reads the owner's token, or creates it on first use. Throws CONFIG_INVALID if the stored token is too short. */
export async function ownerToken(env: Env): Promise<string> {
  const file = join(await ensureStateFolder(env), "token");
  const token = await readOrCreateSecret(file, newToken);
  if (token.length >= MIN_TOKEN_LENGTH) return token;
  const reason = `its token has fewer than ${MIN_TOKEN_LENGTH} characters; delete the file to get a new token`;
  throw new HostError("CONFIG_INVALID", { file, reason });
}

/** Returns a new secret token with 256 random bits. */
export function newToken(): string {
  return `plugboard_${randomBytes(32).toString("base64url")}`;
}
