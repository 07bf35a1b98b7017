/** The tools of Plugboard itself, which belong to no server. Pure. */
import { NATIVE_SERVER_ID, sanitizeLine } from "@plugboard/contracts";

export const BUILT_IN_TEXT =
  "A tool of Plugboard itself. It runs in the host and belongs to no server. Chats have it; clients of the gateway don’t.";

export function isBuiltIn(server: string): boolean {
  return server === NATIVE_SERVER_ID;
}

/** Returns the id of the server, or “Built in”. */
export function originText(server: string): string {
  return isBuiltIn(server) ? "Built in" : sanitizeLine(server);
}
