/** Opens a socket to one of the checked addresses. Does not resolve the name again. */
import { connect as connectPlainly } from "node:net";
import type { LookupFunction, Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { ResolvedAddress } from "./address-guard.ts";

interface Destination {
  readonly addresses: readonly ResolvedAddress[];
  /** The name for SNI and the certificate check. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
}

/** Rejects if no connection can be opened or the signal is aborted. */
export type OpenConnection = (destination: Destination, signal: AbortSignal) => Promise<Socket>;

export const openConnection: OpenConnection = (destination, signal) =>
  new Promise((resolve, reject) => {
    const { hostname: host, port, secure, addresses } = destination;
    const options = { host, port, lookup: fixedLookup(addresses) };
    // SNI does not allow an IP address or a trailing dot.
    const serverName = addresses.some(({ address }) => address === host) ? {} : { servername: host.replace(/\.$/, "") };
    const socket = secure
      ? connectSecurely({ ...options, ...serverName, ALPNProtocols: ["http/1.1"] })
      : connectPlainly(options);
    const abort = () => socket.destroy(new Error("the connection was aborted"));
    signal.addEventListener("abort", abort, { once: true });
    socket.once("close", () => signal.removeEventListener("abort", abort));
    socket.once(secure ? "secureConnect" : "connect", () => resolve(socket.setNoDelay(true)));
    socket.once("error", reject);
    if (signal.aborted) abort();
  });

function fixedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, { all = false }, callback) => {
    const [first] = addresses;
    // Calls back later, as a real resolver does.
    if (all) queueMicrotask(() => callback(null, [...addresses]));
    else queueMicrotask(() => callback(null, first?.address ?? "", first?.family));
  };
}
