/** Who wants to hear of changes, over all the sessions that a connection has: whoever listens goes on after a loss. */
import type { Change, ChangeFilter, ChangeSubscription, ServerCapabilities, Session } from "../session/session.ts";

interface Listener {
  readonly filter: ChangeFilter;
  readonly onChange: (change: Change) => void;
  subscription: ChangeSubscription | undefined;
}

export class ServerChangeListeners {
  readonly #listeners = new Set<Listener>();
  #session: Session | undefined;
  #sessionCount = 0;

  listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription {
    const listener: Listener = { filter, onChange, subscription: undefined };
    this.#listeners.add(listener);
    if (this.#session) subscribe(listener, this.#session);
    return {
      stop: () => {
        this.#listeners.delete(listener);
        listener.subscription?.stop();
      },
    };
  }

  sessionOpened(session: Session): void {
    this.#session = session;
    this.#sessionCount += 1;
    for (const listener of this.#listeners) {
      subscribe(listener, session);
      // Nobody has told of what has changed since the last one.
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
}

/** What of it the server tells of; nothing if it tells of none. */
function supportedFilter(
  { tools, resources, prompts, uris, tasks }: ChangeFilter,
  capabilities: ServerCapabilities,
): ChangeFilter | undefined {
  const { listChanged, subscribe } = capabilities;
  const want: ChangeFilter = {
    ...(tools && listChanged.tools && { tools }),
    ...(resources && listChanged.resources && { resources }),
    ...(prompts && listChanged.prompts && { prompts }),
    ...(uris?.length && subscribe && { uris }),
    ...(tasks?.length && capabilities.tasks && { tasks }),
  };
  return Object.keys(want).length > 0 ? want : undefined;
}

/** How a task has gone on is for its owner to ask. */
function allChanges({ tools, resources, prompts, uris = [] }: ChangeFilter): Change[] {
  return [
    ...(tools ? [{ type: "tools" } as const] : []),
    ...(resources ? [{ type: "resources" } as const] : []),
    ...(prompts ? [{ type: "prompts" } as const] : []),
    ...uris.map((uri) => ({ type: "resource", uri }) as const),
  ];
}
