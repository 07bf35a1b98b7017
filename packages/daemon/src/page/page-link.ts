/** Makes the link that `plugboard ui` opens. */
import { HostError } from "@plugboard/contracts";
import type { PageLink } from "@plugboard/contracts";
import type { PageSessions } from "./page-sessions.ts";

export interface LinkOrigins {
  /** The origin of `PageLinkServer`, whose document clears the page's origin and opens the page. */
  readonly link: string;
  readonly page: string;
}

/** Throws NOT_FOUND if no port is open. */
export function pageLink(origins: LinkOrigins | undefined, sessions: PageSessions): PageLink {
  if (origins === undefined) throw new HostError("NOT_FOUND", { subject: "open port" });
  const { code, expiresAt } = sessions.createCode();
  // Browsers don't send the fragment, so the code reaches neither logs nor the Referer header.
  const fragment = `#code=${code}`;
  return { url: `${origins.link}/${fragment}`, forwardedUrl: `${origins.page}/${fragment}`, expiresAt };
}
