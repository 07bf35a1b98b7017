/** Stores the events of a legacy HTTP session, so that a client can resume its streams. */
import type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** How long a client waits before it resumes a stream. */
export const RETRY_MS = 50;

export function eventStore(): EventStore {
  const events: { readonly stream: string; readonly message: JSONRPCMessage }[] = [];
  return {
    storeEvent(stream, message) {
      events.push({ stream, message });
      return Promise.resolve(String(events.length - 1));
    },
    async replayEventsAfter(lastId, { send }) {
      const stream = events[Number(lastId)]?.stream ?? "";
      for (const [index, event] of events.entries()) {
        // The priming event of a stream is stored as an empty message.
        const isMissed = index > Number(lastId) && event.stream === stream && "jsonrpc" in event.message;
        if (isMissed) await send(String(index), event.message);
      }
      return stream;
    },
  };
}
