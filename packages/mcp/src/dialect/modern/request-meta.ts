/** The `_meta` object and the HTTP headers that every modern request carries. */
import type { JsonObject, LogLevel } from "@plugboard/contracts";
import { META_KEYS } from "../../wire/meta-keys.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { clientCapabilities, implementationInfo } from "../../session/identity.ts";
import type { DeclaredCapabilities, Identity } from "../../session/identity.ts";
import type { Op } from "../../session/op.ts";
import type { TraceContext } from "../../session/session.ts";
import { encodeHeaderValue } from "./header-value.ts";

/** The part of `_meta` that is the same in all requests of a session. */
export interface Envelope {
  readonly identity: Identity;
  readonly version: string;
}

export const NO_CAPABILITIES: DeclaredCapabilities = {
  elicitation: false,
  sampling: false,
  roots: false,
  tasks: false,
};

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

export function requestHeaders(version: string, method: string, name?: string): WireHeaders {
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": encodeHeaderValue(name) }),
  };
}

/** Returns the value of the `mcp-name` header: the tool, prompt, resource or task that the request names. */
export function mcpNameOf({ params }: Op): string | undefined {
  if ("name" in params) return params.name;
  if ("uri" in params) return params.uri;
  return "taskId" in params ? params.taskId : undefined;
}
