/** Converts a `HostError` into the JSON-RPC error for a gateway client. Passes on the server's own error if there is one. */
import { frontMessage } from "@plugboard/contracts";
import type { HostError, HostErrorCode, PeerError } from "@plugboard/contracts";
import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST } from "../wire/rpc-error-codes.ts";

const RPC_CODES: { readonly [C in HostErrorCode]?: number } = {
  TOOL_NOT_FOUND: INVALID_PARAMS,
  INVALID_ARGUMENTS: INVALID_PARAMS,
  STATE_REFUSED: INVALID_PARAMS,
};

export const DUPLICATE_REQUEST_ID: PeerError = {
  code: INVALID_REQUEST,
  message: "A request with this id is still running",
};

export function toPeerError(error: HostError): PeerError {
  const { peer, code } = error;
  return peer ?? { code: RPC_CODES[code] ?? INTERNAL_ERROR, message: frontMessage(error), data: { plugboard: code } };
}
