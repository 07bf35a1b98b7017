/**
 * Tells its listeners when the servers of a workspace, or their resources or prompts, may have changed. The workspace
 * reports every change of a server to `handleServerChange` and `handleServerRemoved`.
 */
import { Listeners } from "@plugboard/contracts";
import type { CatalogPart } from "@plugboard/mcp";
import type { WorkspaceServer } from "./workspace-server.ts";

type ContentPart = "resources" | "prompts";
const PARTS: readonly ContentPart[] = ["resources", "prompts"];

export class ContentChanges {
  readonly #listeners = { resources: new Listeners(), prompts: new Listeners() };
  readonly #serverListeners = new Listeners();
  /** The parts that each server offers now, by server id. Their names are joined to one text. */
  readonly #offered = new Map<string, string>();

  constructor(servers: Iterable<WorkspaceServer>) {
    for (const server of servers) this.handleServerChange(server);
  }

  /** Calls the listener when that part of a server may have changed. Returns the function that removes the listener. */
  onChanged(part: ContentPart, listener: () => void): () => void {
    return this.#listeners[part].add(listener);
  }

  /** Calls the listener when a server may have changed in any way. Returns the function that removes the listener. */
  onServersChanged(listener: () => void): () => void {
    return this.#serverListeners.add(listener);
  }

  /** Without a part, the server is new. */
  handleServerChange(server: WorkspaceServer, part?: "state" | CatalogPart): void {
    this.#serverListeners.emit();
    if (part === "resources" || part === "prompts") return this.#listeners[part].emit();
    this.#setOffered(server.id, server.hidden ? [] : offeredParts(server));
  }

  handleServerRemoved(id: string): void {
    this.#setOffered(id, []);
  }

  /** Emits for the parts that a server begins or ceases to offer, for example when it connects. */
  #setOffered(id: string, parts: readonly ContentPart[]): void {
    const before = this.#offered.get(id) ?? "";
    const now = parts.join();
    if (before === now) return;
    if (now === "") this.#offered.delete(id);
    else this.#offered.set(id, now);
    for (const part of PARTS) if (before.includes(part) !== now.includes(part)) this.#listeners[part].emit();
  }
}

function offeredParts({ connection }: WorkspaceServer): ContentPart[] {
  const capabilities = connection?.catalogAvailable ? connection.serverInfo?.capabilities : undefined;
  return PARTS.filter((part) => capabilities?.[part]);
}
