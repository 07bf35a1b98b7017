/** Which servers of other clients are chosen for the import. Pure. */
import type { ImportableServer } from "@plugboard/contracts";

/** The keys of the chosen servers. */
export type ImportChoice = ReadonlySet<string>;

/** A server that is already here can't be chosen. */
export function isImportable({ action }: ImportableServer): boolean {
  return action !== "none";
}

/** Returns the other servers with the same id. Only one of them can be written to a file. */
export function withSameId(server: ImportableServer, all: readonly ImportableServer[]): ImportableServer[] {
  return all.filter((other) => other.key !== server.key && isSamePlace(other, server));
}

/** Adds the server to the choice. A chosen server with the same id is removed from it. */
export function chooseServer(choice: ImportChoice, server: ImportableServer, all: readonly ImportableServer[]) {
  const excluded = new Set(withSameId(server, all).map(({ key }) => key));
  return new Set([...choice].filter((key) => !excluded.has(key))).add(server.key);
}

/** Of several servers with the same id, keeps the chosen one, else chooses the first. */
export function chooseAll(choice: ImportChoice, all: readonly ImportableServer[]): ImportChoice {
  return all.filter(isImportable).reduce((chosen, server) => {
    const isTaken = all.some((other) => chosen.has(other.key) && isSamePlace(other, server));
    return isTaken ? chosen : chooseServer(chosen, server, all);
  }, choice);
}

function isSamePlace(a: ImportableServer, b: ImportableServer): boolean {
  return a.id === b.id && a.target === b.target;
}
