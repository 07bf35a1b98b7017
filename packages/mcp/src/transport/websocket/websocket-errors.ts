/** Maps a failed WebSocket connection to an error. */
import { HostError } from "@plugboard/contracts";
import type { IncomingHttpHeaders } from "node:http";
import { readAuthRefusal } from "../http/http-status-error.ts";

/** Matches error codes of the operating system or DNS. All other failures before the response are TLS errors. */
const NETWORK_CODE = /^(?:EAI_\w+|E(?!PROTO$)[A-Z0-9]+)$/;

export function upgradeRejectedError(server: string, status: number, headers: IncomingHttpHeaders): HostError {
  const cause = readAuthRefusal({ status, headers });
  if (cause) return new HostError("AUTH_REQUIRED", { server }, { cause });
  return new HostError("UNEXPECTED_RESPONSE", { server, reason: `HTTP status ${status}`, status });
}

export function webSocketOpenError(server: string, thrown: Error, secure: boolean): HostError {
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  const reason = [code, message && `(${message})`].filter(Boolean).join(" ");
  const options = { cause: thrown };
  // Node's HTTP parser reports an invalid response with an HPE code, and ws without a code.
  if (code === "" || code.startsWith("HPE_")) {
    return new HostError("UNEXPECTED_RESPONSE", { server, reason: message }, options);
  }
  if (secure && !NETWORK_CODE.test(code)) return new HostError("TLS_FAILED", { server, reason }, options);
  return new HostError("SERVER_UNREACHABLE", { server, reason }, options);
}
