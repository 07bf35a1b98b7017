/** Validates the id of a server. */
import { NATIVE_SERVER_ID } from "@plugboard/contracts";
import { quoteJson } from "../parse/diagnostics.ts";

const ID = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Returns an error message for an invalid id. Such an id can't be shown or stored safely, so its entry is dropped.
 */
export function validateServerId(id: string): string | undefined {
  if (!ID.test(id)) return `a server id must be 1 to 64 of A–Z a–z 0–9 _ -, not ${quoteJson(id)}`;
  if (id === NATIVE_SERVER_ID)
    return `"${NATIVE_SERVER_ID}" is reserved for the host's own tools; choose another server id`;
  // Assigning this key to a plain object would silently lose the server.
  return id === "__proto__" ? '"__proto__" can\'t be a server id' : undefined;
}
