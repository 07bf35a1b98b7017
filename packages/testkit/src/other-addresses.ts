/** Finds the machine's addresses other than 127.0.0.1 and checks whether a port is open on them. */
import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";

/** Returns addresses at which a server that listens only on 127.0.0.1 is unreachable. */
export function otherAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.filter(({ address, scopeid }) => address !== "127.0.0.1" && !scopeid);
  return [...usable.map(({ address }) => address), ...(process.platform === "linux" ? ["127.0.0.2"] : [])];
}

export async function isPortOpen(address: string, port: number): Promise<boolean> {
  const socket = connect(port, address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
