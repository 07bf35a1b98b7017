/** What is wrong with a text that should be the URL of a server. A user in it is fine: it is sent as Basic authentication. */
import type { TransportName } from "@plugboard/contracts";

export function wrongUrl(text: string, transport: TransportName): string | undefined {
  const protocol = URL.canParse(text) ? new URL(text).protocol : undefined;
  if (transport === "websocket") {
    return protocol === "ws:" || protocol === "wss:" ? undefined : "must be a ws(s) URL";
  }
  return protocol === "http:" || protocol === "https:" ? undefined : "must be an http(s) URL";
}
