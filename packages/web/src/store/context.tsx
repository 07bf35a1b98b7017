/** Gives components the client, the state and short ways to load and change things. */
import { createContext, useCallback, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { ReactNode } from "react";
import { isHostError } from "@plugboard/contracts";
import type { Connected, PageClient } from "../connection/page-client.ts";
import type { PageState } from "./page-state.ts";

const ClientContext = createContext<PageClient | undefined>(undefined);

export function ClientProvider({ client, children }: { client: PageClient; children: ReactNode }) {
  return <ClientContext value={client}>{children}</ClientContext>;
}

export function useClient(): PageClient {
  return useContext(ClientContext)!;
}

/** Returns the part of the state that `select` picks. The component is drawn again only when that part changes. */
export function usePage<T>(select: (state: PageState) => T): T {
  const { state } = useClient();
  return useSyncExternalStore(state.subscribe, () => select(state.get()));
}

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: string | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}

/** Loads a value, and again when `deps` change. Shows the previous value until then. */
export function useLoad<T>(load: (connected: Connected) => Promise<T>, deps: readonly unknown[]): Loaded<T> {
  const client = useClient();
  const live = usePage(({ link }) => link === "live");
  const [result, setResult] = useState<{ data?: T; error?: string }>({});
  const [loading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const latest = useRef(0);
  useEffect(() => {
    if (!live) return;
    const request = ++latest.current;
    setLoading(true);
    // Calls `load` inside a promise, so that an error of `connected` is handled, too.
    void Promise.resolve()
      .then(() => load(client.connected))
      .then(
        (data) => request === latest.current && setResult({ data }),
        (error: unknown) => request === latest.current && setResult((old) => ({ ...old, error: messageOf(error) })),
      )
      .finally(() => request === latest.current && setLoading(false));
    // `load` is a new function each time; `deps` say when it differs.
  }, [live, round, ...deps]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  return { data: result.data, error: result.error, loading, reload };
}

export function messageOf(error: unknown): string {
  if (isHostError(error)) return error.message;
  return error instanceof Error ? error.message : String(error);
}
