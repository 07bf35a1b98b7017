/** Connects to one of the addresses that were judged, and to no other: nothing is looked up again here. */
import { connect as connectPlainly } from "node:net";
import type { LookupFunction, Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { Address } from "./address-guard.ts";

interface Destination {
  readonly addresses: readonly Address[];
  /** By which it is called, and whose certificate it must have. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
}

/** Rejects when there is no connection; given up, it lets go of what it has begun. */
export type OpenConnection = (to: Destination, signal: AbortSignal) => Promise<Socket>;

export const openConnection: OpenConnection = (to, signal) =>
  new Promise((resolve, reject) => {
    const { hostname: host, port, secure, addresses } = to;
    const options = { host, port, lookup: found(addresses) };
    const named = addresses.some(({ address }) => address === host) ? {} : { servername: host.replace(/\.$/, "") };
    const socket = secure
      ? connectSecurely({ ...options, ...named, ALPNProtocols: ["http/1.1"] })
      : connectPlainly(options);
    const giveUp = () => socket.destroy(new Error("given up"));
    signal.addEventListener("abort", giveUp, { once: true });
    socket.once("close", () => signal.removeEventListener("abort", giveUp));
    socket.once(secure ? "secureConnect" : "connect", () => resolve(socket.setNoDelay(true)));
    socket.once("error", reject);
    if (signal.aborted) giveUp();
  });

function found(addresses: readonly Address[]): LookupFunction {
  return (_hostname, { all = false }, callback) => {
    const [first] = addresses;
    // Later, as a resolver would: whoever asks is not ready yet.
    if (all) queueMicrotask(() => callback(null, [...addresses]));
    else queueMicrotask(() => callback(null, first?.address ?? "", first?.family));
  };
}
