/** What a program calls a server and no server can be called. Files are told so by their problems, a program by an error. */
import { HostError } from "@plugboard/contracts";
import type { HostErrorJson } from "@plugboard/contracts";
import { checkId } from "../config/read-servers.ts";

export function throwIfWrong(id: string): void {
  const what = checkId(id);
  if (what !== undefined) throw new HostError("SERVER_INVALID", { server: id, what });
}

export function wrongIds(servers: { readonly [id: string]: unknown } = {}): { [id: string]: HostErrorJson } {
  const wrong = Object.keys(servers).flatMap((id) => {
    const what = checkId(id);
    return what === undefined ? [] : [[id, new HostError("SERVER_INVALID", { server: id, what }).toJSON()] as const];
  });
  return Object.fromEntries(wrong);
}
