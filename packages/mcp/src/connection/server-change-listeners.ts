/** The listeners for changes of one server. Subscribes them again in each new session of the connection. */
import { Deferred } from "../lib/deferred.ts";
import type { ServerCapabilities } from "../session/server-info.ts";
import type { Change, ChangeFilter, ChangeSubscription, Session } from "../session/session.ts";

interface Listener {
  readonly filter: ChangeFilter;
  readonly onChange: (change: Change) => void;
  /** Settled by the first session that the listener is subscribed in. */
  readonly established: Deferred;
  subscription: ChangeSubscription | undefined;
}

export class ServerChangeListeners {
  readonly #listeners = new Set<Listener>();
  #session: Session | undefined;
  #sessionCount = 0;

  listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription {
    const listener: Listener = { filter, onChange, established: new Deferred(), subscription: undefined };
    this.#listeners.add(listener);
    if (this.#session) subscribe(listener, this.#session);
    return {
      established: listener.established.promise,
      stop: () => {
        this.#listeners.delete(listener);
        listener.subscription?.stop();
        listener.established.resolve();
      },
    };
  }

  sessionOpened(session: Session): void {
    this.#session = session;
    this.#sessionCount += 1;
    for (const listener of this.#listeners) {
      subscribe(listener, session);
      // Changes between the two sessions were not reported.
      if (this.#sessionCount > 1) for (const change of allChanges(listener.filter)) listener.onChange(change);
    }
  }

  sessionClosed(): void {
    this.#session = undefined;
    for (const listener of this.#listeners) {
      listener.subscription?.stop();
      listener.subscription = undefined;
    }
  }
}

function subscribe(listener: Listener, session: Session): void {
  const filter = supportedFilter(listener.filter, session.serverInfo.capabilities);
  if (filter) listener.subscription = session.listen(filter, listener.onChange);
  const { established } = listener;
  Promise.resolve(listener.subscription?.established).then(
    () => established.resolve(),
    (error: unknown) => established.reject(error),
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

/** Leaves out tasks, whose owners poll them. */
function allChanges({ tools, resources, prompts, uris = [] }: ChangeFilter): Change[] {
  return [
    ...(tools ? [{ type: "tools" } as const] : []),
    ...(resources ? [{ type: "resources" } as const] : []),
    ...(prompts ? [{ type: "prompts" } as const] : []),
    ...uris.map((uri) => ({ type: "resource", uri }) as const),
  ];
}
