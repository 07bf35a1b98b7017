/** Reads the host's facts from a number on, until it is stopped or the host is gone. */
import type { HostApi, HostEvent } from "@plugboard/contracts";

export interface EventSubscription {
  stop(): Promise<void>;
}

export function followEvents(
  api: Pick<HostApi, "events">,
  after: number,
  onEvent: (event: HostEvent, missed: boolean) => void | Promise<void>,
): EventSubscription {
  const stopped = new AbortController();
  const read = async () => {
    let seen = after;
    for await (const event of api.events(after, stopped.signal)) {
      await onEvent(event, event.seq > seen + 1);
      seen = event.seq;
    }
  };
  // Whoever uses a host that has gone is told so by what they ask of it.
  const done = read().catch(() => {});
  return {
    stop() {
      stopped.abort();
      return done;
    },
  };
}
