/**
 * Remembers which client each task was handed out to. For all others there is no such task, because servers may number
 * their tasks. Beyond a limit it forgets the oldest task of the client with most tasks. Forgets all when the host ends.
 */
import { accountOf, findOldestOfLargest } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import { outwardTaskId, parseOutwardTaskId } from "@plugboard/host/internal";
import type { OpenWorkspace } from "@plugboard/host/internal";
import type { FrontView } from "../profiles/front-view.ts";

type ServerTask = NonNullable<ReturnType<typeof parseOutwardTaskId>>;

const MAX_TASKS = 10_000;

export class TaskOwners {
  readonly #workspace: OpenWorkspace;
  readonly #view: FrontView;
  /** The accounts of the clients, oldest task first. */
  readonly #owners = new Map<string, string>();

  constructor(workspace: OpenWorkspace, view: FrontView) {
    this.#workspace = workspace;
    this.#view = view;
  }

  /** A server that hands out an id again has forgotten the earlier task, so the earlier client loses it. */
  add(task: ServerTask, caller: Caller): void {
    const key = this.#keyOf(task, caller);
    this.#owners.delete(key);
    this.#owners.set(key, accountOf(caller));
    const given = this.#owners.size > MAX_TASKS ? findOldestOfLargest(this.#owners, ([, owner]) => owner) : undefined;
    if (given) this.#owners.delete(given[0]);
  }

  /** Returns the task with the id that the client uses. Returns undefined for tasks of others and hidden servers. */
  find(outward: string, caller: Caller): ServerTask | undefined {
    const task = parseOutwardTaskId(outward);
    if (!task || this.#owners.get(this.#keyOf(task, caller)) !== accountOf(caller)) return undefined;
    return this.#view.includes(task.server) && this.#serverOf(task) ? task : undefined;
  }

  /** Returns the ids that the client uses for its tasks, oldest first. */
  idsOf(caller: Caller): string[] {
    const account = accountOf(caller);
    const keys = [...this.#owners].filter(([, owner]) => owner === account).map(([key]) => key);
    const ids = keys.map((key) => (JSON.parse(key) as [owner: string, id: string])[1]);
    return [...new Set(ids)].filter((id) => this.find(id, caller));
  }

  /** Where each client has its own connection, two clients may get the same id for different tasks. */
  #keyOf(task: ServerTask, caller: Caller): string {
    const owner = this.#serverOf(task)?.share === "caller" ? accountOf(caller) : "";
    return JSON.stringify([owner, outwardTaskId(task)]);
  }

  #serverOf({ server }: ServerTask) {
    return this.#workspace.forwarding.servers().find(({ id }) => id === server);
  }
}
