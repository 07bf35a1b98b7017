/** Who wants to hear of changes, over all the sessions that a connection has: whoever listens goes on after a loss. */
import type { Change, Filter, Listening, Offers, Session } from "../dialect/session.ts";

interface Listener {
  readonly want: Filter;
  readonly on: (change: Change) => void;
  listening: Listening | undefined;
}

export class Listeners {
  readonly #listeners = new Set<Listener>();
  #session: Session | undefined;
  #sessions = 0;

  listen(want: Filter, on: (change: Change) => void): Listening {
    const listener: Listener = { want, on, listening: undefined };
    this.#listeners.add(listener);
    if (this.#session) begin(listener, this.#session);
    return {
      stop: () => {
        this.#listeners.delete(listener);
        listener.listening?.stop();
      },
    };
  }

  opened(session: Session): void {
    this.#session = session;
    this.#sessions += 1;
    for (const listener of this.#listeners) {
      begin(listener, session);
      // Nobody has told of what has changed since the last one.
      if (this.#sessions > 1) for (const change of everything(listener.want)) listener.on(change);
    }
  }

  closed(): void {
    this.#session = undefined;
    for (const listener of this.#listeners) {
      listener.listening?.stop();
      listener.listening = undefined;
    }
  }
}

function begin(listener: Listener, session: Session): void {
  const want = offered(listener.want, session.facts.offers);
  if (want) listener.listening = session.listen(want, listener.on);
}

/** What of it the server tells of; nothing if it tells of none. */
function offered({ tools, resources, prompts, uris, tasks }: Filter, offers: Offers): Filter | undefined {
  const { changes, subscribe } = offers;
  const want: Filter = {
    ...(tools && changes.tools && { tools }),
    ...(resources && changes.resources && { resources }),
    ...(prompts && changes.prompts && { prompts }),
    ...(uris?.length && subscribe && { uris }),
    ...(tasks?.length && offers.tasks && { tasks }),
  };
  return Object.keys(want).length > 0 ? want : undefined;
}

/** How a task has gone on is for its owner to ask. */
function everything({ tools, resources, prompts, uris = [] }: Filter): Change[] {
  return [
    ...(tools ? [{ type: "tools" } as const] : []),
    ...(resources ? [{ type: "resources" } as const] : []),
    ...(prompts ? [{ type: "prompts" } as const] : []),
    ...uris.map((uri) => ({ type: "resource", uri }) as const),
  ];
}
