/** The legacy handshake: what is sent to open, and what its answer means. */
import type { JsonObject } from "@plugboard/contracts";
import { quote } from "../../wire/quote.ts";
import { clientCapabilities, clientInfo } from "../identity.ts";
import type { Identity } from "../identity.ts";
import { readServerFacts } from "../read-server-facts.ts";
import type { ServerFacts } from "../session.ts";
import { LEGACY_VERSIONS, NEWEST_LEGACY } from "../versions.ts";

/** Capabilities are fixed here for the life of the connection, so what anybody might be asked is declared. */
export function initializeParams(identity: Identity): JsonObject {
  return {
    protocolVersion: NEWEST_LEGACY,
    capabilities: clientCapabilities(true),
    clientInfo: clientInfo(identity),
  };
}

export type Handshake = { readonly version: string; readonly facts: ServerFacts } | { readonly offered: string };

export function readHandshake(result: JsonObject): Handshake {
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  const version = LEGACY_VERSIONS.find((known) => known === protocolVersion);
  if (version === undefined) return { offered: quote(protocolVersion ?? null) };
  return { version, facts: readServerFacts({ capabilities, serverInfo, instructions }) };
}
