/**
 * The listeners for changes of one server. Listeners with equal filters share one subscription. Subscribes again in
 * each new session of the connection.
 */
import { Deferred } from "../lib/deferred.ts";
import type { ServerCapabilities } from "../session/server-info.ts";
import type { Change, ChangeFilter, ChangeSubscription, Session } from "../session/session.ts";

type Listener = (change: Change) => void;

interface SharedSubscription {
  readonly filter: ChangeFilter;
  readonly listeners: Set<{ readonly onChange: Listener }>;
  /** Settles when the first session has accepted or rejected the subscription. */
  established: Deferred;
  /** True if the server has rejected the subscription. */
  failed: boolean;
  subscription: ChangeSubscription | undefined;
}

export class ServerChangeListeners {
  /** By the JSON of the filter. */
  readonly #shared = new Map<string, SharedSubscription>();
  #session: Session | undefined;
  /** True after the first session. The next one reports all changes, because some may have been missed. */
  #hadSession: boolean;

  constructor(session?: Session, hadSession = session !== undefined) {
    this.#session = session;
    this.#hadSession = hadSession;
  }

  /** True if a listener waits for updates of a single resource. */
  get watchesResources(): boolean {
    return [...this.#shared.values()].some(({ filter }) => (filter.uris?.length ?? 0) > 0);
  }

  listen(filter: ChangeFilter, onChange: Listener): ChangeSubscription {
    const key = JSON.stringify(filter);
    const shared = this.#shared.get(key) ?? this.#add(key, filter);
    // The server may accept now what it has rejected before.
    if (shared.failed && this.#session) resubscribe(shared, this.#session);
    const listener = { onChange };
    shared.listeners.add(listener);
    const established = new Deferred();
    shared.established.promise.then(
      () => established.resolve(),
      (error: unknown) => established.reject(error),
    );
    return {
      established: established.promise,
      stop: () => {
        established.resolve();
        if (!shared.listeners.delete(listener) || shared.listeners.size > 0) return;
        this.#shared.delete(key);
        shared.subscription?.stop();
      },
    };
  }

  sessionOpened(session: Session): void {
    this.#session = session;
    for (const shared of this.#shared.values()) {
      subscribe(shared, session);
      // Changes between the two sessions were not reported.
      if (this.#hadSession) for (const change of allChanges(shared.filter)) emit(shared, change);
    }
    this.#hadSession = true;
  }

  sessionClosed(): void {
    this.#session = undefined;
    for (const shared of this.#shared.values()) {
      shared.subscription?.stop();
      shared.subscription = undefined;
    }
  }

  #add(key: string, filter: ChangeFilter): SharedSubscription {
    const shared: SharedSubscription = {
      filter,
      listeners: new Set(),
      established: new Deferred(),
      failed: false,
      subscription: undefined,
    };
    this.#shared.set(key, shared);
    if (this.#session) subscribe(shared, this.#session);
    return shared;
  }
}

function emit({ listeners }: SharedSubscription, change: Change): void {
  for (const { onChange } of listeners) onChange(change);
}

function resubscribe(shared: SharedSubscription, session: Session): void {
  shared.subscription?.stop();
  shared.established = new Deferred();
  subscribe(shared, session);
}

function subscribe(shared: SharedSubscription, session: Session): void {
  const filter = supportedFilter(shared.filter, session.serverInfo.capabilities);
  shared.failed = false;
  shared.subscription = filter && session.listen(filter, (change) => emit(shared, change));
  const { established, subscription } = shared;
  Promise.resolve(subscription?.established).then(
    () => established.resolve(),
    (error: unknown) => {
      if (shared.subscription === subscription) shared.failed = true;
      established.reject(error);
    },
  );
}

/** Returns the part of the filter that the server supports, or undefined if it supports none of it. */
function supportedFilter(
  { tools, resources, prompts, uris, tasks }: ChangeFilter,
  capabilities: ServerCapabilities,
): ChangeFilter | undefined {
  const { listChanged, subscribe } = capabilities;
  const supported: ChangeFilter = {
    ...(tools && listChanged.tools && { tools }),
    ...(resources && listChanged.resources && { resources }),
    ...(prompts && listChanged.prompts && { prompts }),
    ...(uris?.length && subscribe && { uris }),
    ...(tasks?.length && capabilities.tasks && { tasks }),
  };
  return Object.keys(supported).length > 0 ? supported : undefined;
}

/** Returns every change that the filter matches, except those of tasks: their owners poll them. */
function allChanges({ tools, resources, prompts, uris = [] }: ChangeFilter): Change[] {
  return [
    ...(tools ? [{ type: "tools" } as const] : []),
    ...(resources ? [{ type: "resources" } as const] : []),
    ...(prompts ? [{ type: "prompts" } as const] : []),
    ...uris.map((uri) => ({ type: "resource", uri }) as const),
  ];
}
