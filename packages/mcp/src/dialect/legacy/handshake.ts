/** The legacy handshake: what is sent to open, what its answer means, and what follows it. */
import type { JsonObject } from "@plugboard/contracts";
import type { Peer } from "../../wire/peer.ts";
import { quote } from "../../wire/quote.ts";
import { clientCapabilities, clientInfo } from "../identity.ts";
import type { Identity } from "../identity.ts";
import { clientIdMeta } from "../host-ids.ts";
import { readServerFacts } from "../read-server-facts.ts";
import type { ServerFacts, SessionPorts } from "../session.ts";
import { LEGACY_VERSIONS, NEWEST_LEGACY } from "../versions.ts";

/** Capabilities are fixed here for the life of the session, so what anybody might be asked is declared. */
export function initializeParams(identity: Identity, { roots, sampling = false }: Wishes): JsonObject {
  const abilities = { elicitation: true, sampling, roots: roots !== undefined, tasks: false };
  return {
    protocolVersion: NEWEST_LEGACY,
    capabilities: clientCapabilities(abilities, true),
    clientInfo: clientInfo(identity),
    ...(identity.ids && { _meta: clientIdMeta(identity) }),
  };
}

export type Wishes = Pick<SessionPorts, "roots" | "sampling">;

export type Handshake = { readonly version: string; readonly facts: ServerFacts } | { readonly offered: string };

export function readHandshake(result: JsonObject): Handshake {
  const { protocolVersion, capabilities, serverInfo, instructions, _meta } = result;
  const version = LEGACY_VERSIONS.find((known) => known === protocolVersion);
  if (version === undefined) return { offered: quote(protocolVersion ?? null) };
  const facts = readServerFacts({ capabilities, serverInfo, instructions, _meta });
  return { version, facts: { ...facts, offers: legacyOffers(version, facts) } };
}

/** Says that the answer was understood, and opens the stream for what the server says of its own accord. */
export async function finishHandshake(peer: Peer, version: string): Promise<void> {
  const headers = { "mcp-protocol-version": version };
  await peer.notify("notifications/initialized", undefined, headers);
  peer.transport.openPush?.(headers);
}

/** The first revision had no word for completion; tasks of this era are others than those we know. */
function legacyOffers(version: string, { offers }: ServerFacts): ServerFacts["offers"] {
  const completion = offers.completion || (version === "2024-11-05" && (offers.prompts || offers.resources));
  return { ...offers, completion, tasks: false };
}
