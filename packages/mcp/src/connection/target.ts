/** How to reach a server. */
import type { ServerTarget } from "@plugboard/contracts";
import type { Transport } from "../wire/transport.ts";

export type Target = ServerTarget | InProcessTarget;

/** A server that runs in this process. */
export interface InProcessTarget {
  readonly transport: "in-process";
  /** Unique within the process. */
  readonly id: string;
  readonly connect: () => Transport | Promise<Transport>;
}

/** True if the server is reached over a network, which may fail silently and recover at any time. */
export function isRemote({ transport }: Target): boolean {
  return transport !== "stdio" && transport !== "in-process";
}
