/** Calls a handler for each event of the host after a sequence number, until stopped or the host closes. */
import type { HostApi, HostEvent } from "@plugboard/contracts";

export interface EventSubscription {
  stop(): Promise<void>;
}

/** `missed` is true if events before this one were lost. */
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
  // The error is ignored here, because the command's own requests to the closed host fail with it.
  const done = read().catch(() => {});
  return {
    stop() {
      stopped.abort();
      return done;
    },
  };
}
