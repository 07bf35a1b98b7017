/** Reads the user's name from a token. Only for display: the token is not verified. */
import { isJsonObject, sanitizeLine } from "@plugboard/contracts";

const MAX_LENGTH = 100;

/** Returns undefined if the token is not a JWT or names no user. */
export function tokenIdentity(token: unknown): string | undefined {
  const claims = typeof token === "string" ? decodeClaims(token) : undefined;
  if (!isJsonObject(claims)) return undefined;
  for (const name of ["email", "preferred_username", "name", "sub"]) {
    const claim = claims[name];
    // Shortens twice, because escaping may lengthen the text.
    if (typeof claim === "string" && claim.trim() !== "")
      return sanitizeLine(claim.slice(0, MAX_LENGTH)).slice(0, MAX_LENGTH);
  }
  return undefined;
}

function decodeClaims(token: string): unknown {
  const [, claims, signature] = token.split(".", 3);
  if (claims === undefined || signature === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(claims, "base64url").toString());
  } catch {
    return undefined;
  }
}
