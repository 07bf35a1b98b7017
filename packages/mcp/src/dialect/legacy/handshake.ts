/** The legacy handshake: the `initialize` request, its result, and the notification after it. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { Peer } from "../../wire/peer.ts";
import { describeValue } from "../../lib/describe-value.ts";
import { clientCapabilities, clientIdMeta, implementationInfo } from "../../session/identity.ts";
import type { Identity } from "../../session/identity.ts";
import { parseServerInfo } from "../../session/server-info.ts";
import type { ServerInfo } from "../../session/server-info.ts";
import type { ClientFeatures } from "../../session/session.ts";
import { LEGACY_NAMES, NEWEST_LEGACY } from "../../session/revisions.ts";

/** Declares the capabilities of all possible callers, because they are fixed for the life of the session. */
export function initializeParams(
  identity: Identity,
  { roots, sampling = false, extensions }: ClientFeatures,
): JsonObject {
  const hasRoots = roots !== undefined;
  const capabilities = {
    elicitation: true,
    sampling,
    roots: hasRoots,
    rootsListChanged: true,
    tasks: false,
    extensions,
  };
  return {
    protocolVersion: NEWEST_LEGACY.name,
    capabilities: clientCapabilities(capabilities),
    clientInfo: implementationInfo(identity),
    ...(identity.ids && { _meta: clientIdMeta(identity) }),
  };
}

/** Holds `offered` instead of a version if the server offers no supported revision. */
export type Handshake = { readonly version: string; readonly serverInfo: ServerInfo } | { readonly offered: string };

export function parseHandshake(result: JsonObject): Handshake {
  const { protocolVersion, capabilities, serverInfo, instructions, _meta } = result;
  const version = LEGACY_NAMES.find((known) => known === protocolVersion);
  if (version === undefined) return { offered: describeValue(protocolVersion ?? null) };
  const info = parseServerInfo({ capabilities, serverInfo, instructions, _meta });
  return { version, serverInfo: { ...info, capabilities: legacyCapabilities(version, info, capabilities) } };
}

/** Confirms the handshake, and opens the stream for messages that belong to no request. */
export async function finishHandshake(peer: Peer, version: string): Promise<void> {
  const headers = { "mcp-protocol-version": version };
  await peer.notify("notifications/initialized", undefined, headers);
  peer.transport.openPushStream?.(headers);
}

/** The first revision cannot declare completion, so it is assumed. Only the last legacy revision has tasks. */
function legacyCapabilities(
  version: string,
  { capabilities }: ServerInfo,
  declared: Json | undefined,
): ServerInfo["capabilities"] {
  const completion =
    capabilities.completion || (version === "2024-11-05" && (capabilities.prompts || capabilities.resources));
  return { ...capabilities, completion, tasks: version === NEWEST_LEGACY.name && declaresTaskCalls(declared) };
}

function declaresTaskCalls(declared: Json | undefined): boolean {
  return isJsonObject(memberOf(memberOf(memberOf(memberOf(declared, "tasks"), "requests"), "tools"), "call"));
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}
