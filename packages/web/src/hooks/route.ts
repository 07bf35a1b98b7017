/** The address of a view, such as `#/servers/files`. The part behind `#` never reaches the host. */
import { useSyncExternalStore } from "react";

export interface PageRoute {
  readonly view: string;
  /** The rest of the path, such as the id of a server. */
  readonly rest: readonly string[];
}

function parseRoute(hash: string): PageRoute {
  const [view = "", ...rest] = hash.replace(/^#\/?/, "").split("/").map(decodePart);
  return { view: view === "" ? "servers" : view, rest };
}

export function hrefOf(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export function useRoute(): PageRoute {
  return parseRoute(useSyncExternalStore(subscribe, () => location.hash));
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
