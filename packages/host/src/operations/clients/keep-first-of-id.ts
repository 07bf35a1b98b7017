/** Keeps only the first of several planned servers that would get the same id in the same config file. Pure. */
import { canonicalJson } from "@plugboard/contracts";
import type { PlannedFile, PlannedServer } from "@plugboard/config/clients";

/** Moves the other servers to `skipped`, with the reason. One file can't have two servers with the same id. */
export function keepFirstOfId(files: readonly PlannedFile[]): PlannedFile[] {
  const first = new Map<string, { readonly server: PlannedServer; readonly from: PlannedFile }>();
  return files.map((file) => {
    const skipped: PlannedFile["skipped"][number][] = [];
    const servers = file.servers.filter((server) => {
      const place = JSON.stringify([server.id, server.target]);
      const earlier = first.get(place);
      if (!earlier) first.set(place, { server, from: file });
      else skipped.push({ name: server.id, reason: reasonFor(server, earlier.server, earlier.from.file) });
      return !earlier;
    });
    return { ...file, servers, skipped: [...file.skipped, ...skipped] };
  });
}

function reasonFor(server: PlannedServer, earlier: PlannedServer, file: string): string {
  const isSame = canonicalJson(plainEntry(server)) === canonicalJson(plainEntry(earlier));
  return isSame ? `${file} has the same server` : `${file} has another server with this id`;
}

function plainEntry({ entry, plain }: PlannedServer) {
  return plain?.entry ?? entry;
}
