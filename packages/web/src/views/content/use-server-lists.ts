/** Lists the content of each ready server on its own, so that a slow server does not hide the others. */
import { useEffect, useRef, useState } from "react";
import type { Workspace } from "@plugboard/contracts";
import { messageOf } from "../../format/message-of.ts";
import { useClient, usePage } from "../../hooks/context.tsx";

export interface ServerLists<T> {
  readonly items: readonly T[];
  readonly errors: { readonly [server: string]: string };
  readonly loading: boolean;
}

/**
 * `list` returns the items of one server. A server is listed again only if its own lists or the config have changed.
 */
export function useServerLists<T>(
  list: (workspace: Workspace, server: string) => Promise<readonly T[]>,
): ServerLists<T> {
  const client = useClient();
  const ready = usePage((state) =>
    state.servers
      .filter((server) => server.state === "ready" && server.enabled)
      .map(({ id }) => id)
      .join("\n"),
  );
  const configRevision = usePage((state) => state.configRevision);
  const contentRevisions = usePage((state) => state.contentRevisions);
  const [found, setFound] = useState<{ readonly [server: string]: readonly T[] | string }>({});
  /** The revision at which each server was last listed. */
  const listed = useRef<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    const servers = ready === "" ? [] : ready.split("\n");
    const wanted = new Map(
      servers.map((server) => [server, `${configRevision} ${contentRevisions[server] ?? 0}`] as const),
    );
    const before = listed.current;
    listed.current = wanted;
    setFound((old) => Object.fromEntries(Object.entries(old).filter(([server]) => wanted.has(server))));
    for (const [server, revision] of wanted) {
      if (before.get(server) === revision) continue;
      const set = (value: readonly T[] | string) => {
        if (listed.current.get(server) === revision) setFound((old) => ({ ...old, [server]: value }));
      };
      void list(client.connected.workspace, server).then(set, (error: unknown) => set(messageOf(error)));
    }
    // `list` is a new function each time, and does the same.
  }, [client, ready, configRevision, contentRevisions]);
  const entries = Object.entries(found);
  return {
    items: entries.flatMap(([, value]) => (typeof value === "string" ? [] : value)),
    errors: Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string")),
    loading: entries.length < (ready === "" ? 0 : ready.split("\n").length),
  };
}

/** Throws the error of the server, if it could not be listed. */
export function itemsOf<T>(
  server: string,
  items: readonly T[],
  errors: { readonly [server: string]: { readonly message: string } },
): readonly T[] {
  const error = errors[server];
  if (error) throw new Error(error.message);
  return items;
}
