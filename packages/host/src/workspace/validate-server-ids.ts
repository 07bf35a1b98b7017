/** What a program calls a server and no server can be called. Files are told so by their problems, a program by an error. */
import { HostError } from "@plugboard/contracts";
import type { HostErrorJson } from "@plugboard/contracts";
import { validateServerId } from "../config/read/read-servers.ts";

export function throwIfInvalidServerId(id: string): void {
  const problem = validateServerId(id);
  if (problem !== undefined) throw new HostError("SERVER_INVALID", { server: id, reason: problem });
}

export function validateServerIds(servers: { readonly [id: string]: unknown } = {}): { [id: string]: HostErrorJson } {
  const invalid = Object.keys(servers).flatMap((id) => {
    const reason = validateServerId(id);
    return reason === undefined
      ? []
      : [[id, new HostError("SERVER_INVALID", { server: id, reason }).toJSON()] as const];
  });
  return Object.fromEntries(invalid);
}
