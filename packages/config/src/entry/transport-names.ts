/** Finds the transport of an entry. */
import { TRANSPORT_SPELLINGS, transportOfUrl } from "@plugboard/contracts";
import type { RawEntry } from "./normalise-entry.ts";

/** Returns the transport in Plugboard's spelling, or the one that follows from the command or URL. It may be unknown. */
export function transportFor({ transport, command, url }: RawEntry): unknown {
  if (typeof transport === "string" && Object.hasOwn(TRANSPORT_SPELLINGS, transport))
    return TRANSPORT_SPELLINGS[transport];
  if (transport !== undefined) return transport;
  if (command !== undefined) return "stdio";
  if (url === undefined) return undefined;
  return (typeof url === "string" ? transportOfUrl(url) : undefined) ?? "http";
}
