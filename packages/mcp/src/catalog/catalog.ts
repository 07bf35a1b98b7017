/** What a server offers, as far as it is known, kept up to date while its session lasts. */
import type { Caller } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import type { Listening, Session } from "../dialect/session.ts";
import { listTools, NO_TOOLS } from "./list-tools.ts";
import type { ToolCatalog } from "./list-tools.ts";

export interface CatalogOptions {
  readonly server: string;
  readonly clock: Clock;
  /** How long a listing may take. */
  readonly timeoutMs: number;
  readonly onChanged: () => void;
}

/** A server that says with every list that it has changed would keep us listing. */
const RELIST_PAUSE_MS = 250;

/** The catalog is listed on the host's own behalf. */
const HOST: Caller = { kind: "program", id: "host" };

export class Catalog {
  tools: ToolCatalog = NO_TOOLS;

  readonly #options: CatalogOptions;
  #session: Session | undefined;
  #listening: Listening | undefined;
  #relist: "no" | "running" | "again" = "no";
  #endPause: (() => void) | undefined;

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  /** Learns what a new session offers, and hears of what changes in it. */
  async opened(session: Session, signal: AbortSignal): Promise<void> {
    this.#session = session;
    this.tools = await this.#list(session, signal);
    if (!session.facts.offers.changes.tools) return;
    this.#listening = session.listen({ tools: true }, () => void this.#listAgain());
  }

  closed(): void {
    this.#session = undefined;
    this.#listening?.stop();
    this.#listening = undefined;
    this.#endPause?.();
  }

  #list(session: Session, signal?: AbortSignal): Promise<ToolCatalog> {
    const { server, timeoutMs } = this.#options;
    return listTools(server, session, { caller: HOST, signal, timeoutMs, maxMs: timeoutMs, elicitation: false });
  }

  /** However often a server says that its list changed, one listing runs and at most one waits. */
  async #listAgain(): Promise<void> {
    if (this.#relist !== "no") return void (this.#relist = "again");
    do {
      this.#relist = "running";
      const session = this.#session;
      if (!session) break;
      try {
        const tools = await this.#list(session);
        // A session that has ended meanwhile may have lost half of it.
        if (session !== this.#session) break;
        this.tools = tools;
        this.#options.onChanged();
      } catch {
        // The last good list stays; if the server is broken, the connection itself says so.
        break;
      }
      await this.#pause();
    } while ((this.#relist as string) === "again");
    this.#relist = "no";
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(RELIST_PAUSE_MS, resolve);
      this.#endPause = () => (stop(), resolve());
    });
  }
}
