/** Makes the link that `plugboard ui` opens. */
import { HostError } from "@plugboard/contracts";
import type { PageLink } from "@plugboard/contracts";
import type { PageSessions } from "./page-sessions.ts";

/** Throws NOT_FOUND if no port is open. */
export function pageLink(linkOrigin: string | undefined, sessions: PageSessions): PageLink {
  if (linkOrigin === undefined) throw new HostError("NOT_FOUND", { subject: "open port" });
  const { code, expiresAt } = sessions.createCode();
  // Browsers don't send the fragment, so the code reaches neither logs nor the Referer header.
  return { url: `${linkOrigin}/#code=${code}`, expiresAt };
}
