/** The legacy handshake: what is sent to open, what its answer means, and what follows it. */
import type { JsonObject } from "@plugboard/contracts";
import type { Peer } from "../../wire/peer.ts";
import { describeValue } from "../../lib/describe-value.ts";
import { clientCapabilities, clientInfo } from "../../session/identity.ts";
import type { Identity } from "../../session/identity.ts";
import { clientIdMeta } from "../../session/host-ids.ts";
import { parseServerInfo } from "../../session/parse-server-info.ts";
import type { ServerInfo, SessionPorts } from "../../session/session.ts";
import { LEGACY_VERSIONS, NEWEST_LEGACY } from "../../session/versions.ts";

/** Capabilities are fixed here for the life of the session, so what anybody might be asked is declared. */
export function initializeParams(identity: Identity, { roots, sampling = false }: HandshakeOptions): JsonObject {
  const capabilities = { elicitation: true, sampling, roots: roots !== undefined, tasks: false };
  return {
    protocolVersion: NEWEST_LEGACY,
    capabilities: clientCapabilities(capabilities, true),
    clientInfo: clientInfo(identity),
    ...(identity.ids && { _meta: clientIdMeta(identity) }),
  };
}

export type HandshakeOptions = Pick<SessionPorts, "roots" | "sampling">;

export type Handshake = { readonly version: string; readonly serverInfo: ServerInfo } | { readonly offered: string };

export function parseHandshake(result: JsonObject): Handshake {
  const { protocolVersion, capabilities, serverInfo, instructions, _meta } = result;
  const version = LEGACY_VERSIONS.find((known) => known === protocolVersion);
  if (version === undefined) return { offered: describeValue(protocolVersion ?? null) };
  const info = parseServerInfo({ capabilities, serverInfo, instructions, _meta });
  return { version, serverInfo: { ...info, capabilities: legacyCapabilities(version, info) } };
}

/** Says that the answer was understood, and opens the stream for what the server says of its own accord. */
export async function finishHandshake(peer: Peer, version: string): Promise<void> {
  const headers = { "mcp-protocol-version": version };
  await peer.notify("notifications/initialized", undefined, headers);
  peer.transport.openPushStream?.(headers);
}

/** The first revision had no word for completion; tasks of this era are others than those we know. */
function legacyCapabilities(version: string, { capabilities }: ServerInfo): ServerInfo["capabilities"] {
  const completion =
    capabilities.completion || (version === "2024-11-05" && (capabilities.prompts || capabilities.resources));
  return { ...capabilities, completion, tasks: false };
}
