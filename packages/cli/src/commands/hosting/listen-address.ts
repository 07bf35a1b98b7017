/** The options of `plugboard serve` that say where the port listens. */
import type { ListenAddress } from "@plugboard/contracts";

export interface AddressInput {
  readonly host: string | undefined;
  readonly publicUrl: string | undefined;
}

/** Leaves out options that were not given. */
export function toListenAddress({ host, publicUrl }: AddressInput): ListenAddress {
  return { ...(host !== undefined && { host }), ...(publicUrl !== undefined && { publicUrl }) };
}
