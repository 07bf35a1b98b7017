/** Who has logged in, as a token puts it. To be shown: nothing is verified. */
import { isJsonObject, sanitiseLine } from "@plugboard/contracts";

const LONGEST = 100;

/** Nothing if it is not a token that can be read. */
export function whoOf(token: unknown): string | undefined {
  const claims = typeof token === "string" ? claimsOf(token) : undefined;
  if (!isJsonObject(claims)) return undefined;
  for (const name of ["email", "preferred_username", "name", "sub"]) {
    const claim = claims[name];
    if (typeof claim === "string" && claim.trim() !== "")
      return sanitiseLine(claim.slice(0, LONGEST)).slice(0, LONGEST);
  }
  return undefined;
}

function claimsOf(token: string): unknown {
  const [, claims, signature] = token.split(".", 3);
  if (claims === undefined || signature === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(claims, "base64url").toString());
  } catch {
    return undefined;
  }
}
