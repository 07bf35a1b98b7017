/** The composition root: makes the parts of a host and joins them. No behaviour of its own beyond opening and closing. */
import { randomUUID } from "node:crypto";
import { HostError, sameCaller } from "@plugboard/contracts";
import type { Caller, CallerKind, HostApi, HostFact, Workspace, WorkspaceSpec } from "@plugboard/contracts";
import { Processes, systemClock } from "@plugboard/mcp";
import type { ConnectionLimits } from "@plugboard/mcp";
import { EventLog } from "./activity/event-log.ts";
import { Calls } from "./calls/calls.ts";
import { readConfig } from "./config/read-config.ts";
import { Inbox, mayAnswer } from "./inbox/inbox.ts";
import { Pool } from "./pool/pool.ts";
import { VERSION } from "./version.ts";
import { bindWorkspace } from "./workspace/bound-workspace.ts";
import { OpenWorkspace } from "./workspace/workspace.ts";

export interface HostOptions {
  readonly env?: { readonly [name: string]: string | undefined };
  /** How long a question waits for its answer. */
  readonly questionDeadlineMs?: number;
  readonly limits?: Partial<ConnectionLimits>;
}

export class Host {
  readonly events: EventLog;
  readonly inbox: Inbox;

  readonly #env: NonNullable<HostOptions["env"]>;
  readonly #processes: Processes;
  readonly #calls: Calls;
  readonly #pool: Pool;
  readonly #attended = new Set<string>();
  readonly #workspaces = new Set<OpenWorkspace>();
  #closed = false;

  constructor({ env = process.env, questionDeadlineMs, limits }: HostOptions = {}) {
    const clock = systemClock;
    this.#env = env;
    this.#processes = new Processes(clock);
    this.events = new EventLog(() => clock.now());
    const { state } = this.events;
    this.inbox = new Inbox({
      clock,
      newId: randomUUID,
      state,
      ...(questionDeadlineMs !== undefined && { deadlineMs: questionDeadlineMs }),
    });
    this.#calls = new Calls({
      clock,
      inbox: this.inbox,
      newId: randomUUID,
      state,
      attended: (caller) => this.#attended.has(caller.id),
    });
    this.#pool = new Pool({
      processes: this.#processes,
      clock,
      identity: { name: "plugboard", version: VERSION },
      strayAsk: (server) => this.#calls.strayAsk(server),
      ...(limits && { limits }),
    });
  }

  /** The host for a new caller. `attended`: somebody is there who will answer that caller's questions. */
  as(kind: CallerKind, { attended = false } = {}): HostApi {
    const caller: Caller = { kind, id: randomUUID() };
    if (attended) this.#attended.add(caller.id);
    const opened = new Set<OpenWorkspace>();
    return {
      caller,
      workspace: async (spec) => {
        const workspace = await this.open(spec);
        opened.add(workspace);
        return this.bind(workspace, caller);
      },
      events: (after, signal) => this.events.events(after, signal, (fact) => mayKnow(fact, caller)),
      close: async () => {
        this.#attended.delete(caller.id);
        await Promise.all([...opened].map((workspace) => this.release(workspace)));
      },
    };
  }

  async open(spec: WorkspaceSpec): Promise<OpenWorkspace> {
    const env = spec.env ?? this.#env;
    const config = await readConfig(spec, env);
    if (this.#closed) throw new HostError("HOST_CLOSED", {});
    const { state } = this.events;
    const workspace = new OpenWorkspace({ config, calls: this.#calls, pool: this.#pool, env, state });
    this.#workspaces.add(workspace);
    return workspace;
  }

  bind(workspace: OpenWorkspace, caller: Caller): Workspace {
    const { inbox, events } = this;
    return bindWorkspace(workspace, { caller, inbox, seq: () => events.seq, release: () => this.release(workspace) });
  }

  async release(workspace: OpenWorkspace): Promise<void> {
    this.#workspaces.delete(workspace);
    await workspace.release();
  }

  /** Nothing is left running afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    this.inbox.close();
    await Promise.all([...this.#workspaces].map((workspace) => this.release(workspace)));
    await this.#processes.stopAll();
    this.events.close();
  }
}

/** What somebody else is asked, and what they answer, is theirs. */
function mayKnow(fact: HostFact, caller: Caller): boolean {
  if (fact.type === "question.asked" || fact.type === "question.settled") return mayAnswer(fact.question, caller);
  return fact.type !== "question.unattended" || sameCaller(fact.owner, caller);
}
