/**
 * Remembers which client each task was handed out to. All other clients get the error for an unknown task, because ids
 * may be easy to guess: some servers number their tasks. Beyond a limit, forgets the oldest task of the client with
 * most tasks. Stores nothing on disk.
 */
import { accountOf, findOldestOfLargest } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import { outwardTaskId, parseOutwardTaskId } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { FrontView } from "../profiles/front-view.ts";

type ServerTask = NonNullable<ReturnType<typeof parseOutwardTaskId>>;

/** The client that a task was handed out to. */
interface TaskOwner {
  readonly account: string;
  /** Identifies the client among those of its account. */
  readonly client: string;
}

type OwnedTask = ServerTask & Pick<TaskOwner, "client">;

const MAX_TASKS = 10_000;

export class TaskOwners {
  readonly #workspace: OpenWorkspace;
  readonly #view: FrontView;
  /** Oldest task first. */
  readonly #owners = new Map<string, TaskOwner>();

  constructor(workspace: OpenWorkspace, view: FrontView) {
    this.#workspace = workspace;
    this.#view = view;
  }

  /** A server that hands out an id again has forgotten the earlier task, so the earlier client loses it. */
  add(task: ServerTask, caller: Caller, client = caller.id): void {
    const key = this.#keyOf(task, caller);
    this.#owners.delete(key);
    this.#owners.set(key, { account: accountOf(caller), client });
    const evicted =
      this.#owners.size > MAX_TASKS ? findOldestOfLargest(this.#owners, ([, { account }]) => account) : undefined;
    if (evicted) this.#owners.delete(evicted[0]);
  }

  /**
   * Returns the task with the id that the client uses. Returns undefined for a task of another client or of a hidden
   * server.
   */
  find(outward: string, caller: Caller): OwnedTask | undefined {
    const task = parseOutwardTaskId(outward);
    const owner = task && this.#owners.get(this.#keyOf(task, caller));
    if (!task || owner?.account !== accountOf(caller)) return undefined;
    return this.#view.includes(task.server) && this.#serverOf(task) ? { ...task, client: owner.client } : undefined;
  }

  /** Returns the ids that the client uses for its tasks, oldest first. */
  idsOf(caller: Caller): string[] {
    const account = accountOf(caller);
    const keys = [...this.#owners].filter(([, owner]) => owner.account === account).map(([key]) => key);
    const ids = keys.map((key) => (JSON.parse(key) as [owner: string, id: string])[1]);
    return [...new Set(ids)].filter((id) => this.find(id, caller));
  }

  /**
   * With `share: caller`, each client has its own connection, so two clients may get the same id for different tasks.
   */
  #keyOf(task: ServerTask, caller: Caller): string {
    const owner = this.#serverOf(task)?.share === "caller" ? accountOf(caller) : "";
    return JSON.stringify([owner, outwardTaskId(task)]);
  }

  #serverOf({ server }: ServerTask) {
    return this.#workspace.forwarding.servers().find(({ id }) => id === server);
  }
}
