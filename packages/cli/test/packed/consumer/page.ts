/** A program for browsers, where types of Node do not exist. */
import { isHostError } from "@plugboard/contracts";
import type { HostErrorCode, ServerStatus } from "@plugboard/contracts";
import { connectRemote } from "@plugboard/remote";
import type { FetchLike } from "@plugboard/remote";

export async function readStatus(fetch: FetchLike): Promise<ServerStatus[] | HostErrorCode> {
  try {
    await using host = await connectRemote({ fetch, version: "0.1.0", kind: "page" });
    const workspace = await host.workspace({ cwd: "/" });
    return await workspace.status();
  } catch (error) {
    if (isHostError(error)) return error.code;
    throw error;
  }
}
