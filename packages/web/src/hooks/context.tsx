/** Gives components the connection to the host (`PageClient`) and the state of the page. */
import { createContext, useContext, useSyncExternalStore } from "react";
import type { ReactNode } from "react";
import type { PageClient } from "../connection/page-client.ts";
import type { PageState } from "../store/page-state.ts";

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
