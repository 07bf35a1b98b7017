/** Makes the link that `plugboard ui` opens. */
import { HostError } from "@plugboard/contracts";
import type { PageLink, PortInfo } from "@plugboard/contracts";
import type { PageSessions } from "./page-sessions.ts";

/** Throws NOT_FOUND if no port is open. */
export function pageLink(port: PortInfo | undefined, sessions: PageSessions): PageLink {
  if (!port) throw new HostError("NOT_FOUND", { subject: "open port" });
  const { code, expiresAt } = sessions.createCode();
  // Browsers don't send the fragment, so the code reaches neither logs nor the Referer header.
  return { url: `http://127.0.0.1:${port.port}/#code=${code}`, expiresAt };
}
