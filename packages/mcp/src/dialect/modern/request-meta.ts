/** The `_meta` object that every modern request has. */
import type { JsonObject, LogLevel } from "@plugboard/contracts";
import { META_KEYS } from "../../wire/meta-keys.ts";
import { clientCapabilities, implementationInfo } from "../../session/identity.ts";
import type { DeclaredCapabilities, Identity } from "../../session/identity.ts";
import type { TraceContext } from "../../session/session.ts";

/** The values in `_meta` that all requests of a session share. */
export interface Envelope {
  readonly identity: Identity;
  readonly version: string;
}

interface MetaExtras {
  readonly progressToken?: number | undefined;
  readonly logLevel?: LogLevel | undefined;
  readonly trace?: TraceContext | undefined;
}

export function requestMeta(
  { version, identity }: Envelope,
  capabilities: DeclaredCapabilities,
  extras: MetaExtras = {},
): JsonObject {
  const { progressToken, logLevel, trace } = extras;
  return {
    [META_KEYS.protocolVersion]: version,
    [META_KEYS.clientInfo]: implementationInfo(identity),
    [META_KEYS.clientCapabilities]: clientCapabilities(capabilities),
    ...(logLevel !== undefined && { [META_KEYS.logLevel]: logLevel }),
    ...(trace as JsonObject | undefined),
    ...(progressToken !== undefined && { progressToken }),
  };
}
