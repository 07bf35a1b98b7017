/** Why a WebSocket could not be opened. */
import { HostError } from "@plugboard/contracts";
import type { IncomingHttpHeaders } from "node:http";
import { readAuthRefusal } from "../http/http-status-error.ts";

/** What an operating system or a name service says; anything else that goes wrong before an answer is TLS, where there is any. */
const NETWORK_CODE = /^(?:EAI_\w+|E(?!PROTO$)[A-Z0-9]+)$/;

export function upgradeRejectedError(server: string, status: number, headers: IncomingHttpHeaders): HostError {
  const cause = readAuthRefusal({ status, headers });
  if (cause) return new HostError("AUTH_REQUIRED", { server }, { cause });
  return new HostError("UNEXPECTED_RESPONSE", { server, reason: `HTTP status ${status}`, status });
}

export function webSocketOpenError(server: string, thrown: Error, secure: boolean): HostError {
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  const reason = [code, message && `(${message})`].filter(Boolean).join(" ");
  const cause = { cause: thrown };
  // What is wrong with an answer is said by Node's parser, or by ws, which gives no code.
  if (code === "" || code.startsWith("HPE_")) {
    return new HostError("UNEXPECTED_RESPONSE", { server, reason: message }, cause);
  }
  if (secure && !NETWORK_CODE.test(code)) return new HostError("TLS_FAILED", { server, reason }, cause);
  return new HostError("SERVER_UNREACHABLE", { server, reason }, cause);
}
