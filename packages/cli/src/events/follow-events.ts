/** Calls a handler for each event of the host after a sequence number, until stopped or the host closes. */
import type { HostApi, HostEvent } from "@plugboard/contracts";

export interface EventSubscription {
  stop(): Promise<void>;
}

/** `missed` is true if events before this one were lost. */
export function followEvents(
  api: Pick<HostApi, "events">,
  afterSeq: number,
  onEvent: (event: HostEvent, missed: boolean) => void | Promise<void>,
): EventSubscription {
  const stopped = new AbortController();
  const read = async () => {
    let lastSeq = afterSeq;
    for await (const event of api.events(afterSeq, stopped.signal)) {
      const handled = onEvent(event, event.seq > lastSeq + 1);
      lastSeq = event.seq;
      if (handled) await handled;
    }
  };
  // The error is ignored here, because the command's own requests fail with the same error.
  const done = read().catch(() => {});
  return {
    stop() {
      stopped.abort();
      return done;
    },
  };
}
