/** What every modern request carries: its own context in `_meta`, and the same facts in headers for HTTP. */
import type { JsonObject } from "@plugboard/contracts";
import { META } from "../../wire/meta-keys.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { clientCapabilities, clientInfo } from "../identity.ts";
import type { Identity } from "../identity.ts";

export interface Envelope {
  readonly identity: Identity;
  readonly version: string;
}

export function requestMeta(envelope: Envelope, elicitation: boolean, progressToken?: number): JsonObject {
  return {
    [META.protocolVersion]: envelope.version,
    [META.clientInfo]: clientInfo(envelope.identity),
    [META.clientCapabilities]: clientCapabilities(elicitation),
    ...(progressToken !== undefined && { progressToken }),
  };
}

export function requestHeaders(version: string, method: string, name?: string): WireHeaders {
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": headerValue(name) }),
  };
}

/** Anything but plain, unpadded ASCII travels as base64; so does what looks like the sentinel itself. */
export function headerValue(text: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
