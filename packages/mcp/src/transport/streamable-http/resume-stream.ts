/**
 * Resumes the stream of a request if the stream ended before the response arrived. Continues after the last event that
 * was read. A server may also end its streams on purpose, so that the client polls. Such an end counts as a failure
 * only if the connection brought no new event.
 */
import { HostError, toHostError, abortableDelay } from "@plugboard/contracts";
import type { WireHeaders } from "../../wire/transport.ts";
import type { RequestAborter } from "../http/request-aborter.ts";
import type { HttpResponseStream } from "./http-response-stream.ts";
import type { HttpClient } from "../http/http-client.ts";
import { reconnectDelay } from "./reconnect-delay.ts";

interface ResumeOptions {
  readonly client: HttpClient;
  readonly stream: HttpResponseStream;
  readonly headers: WireHeaders;
  readonly aborter: RequestAborter;
  readonly random: () => number;
}

/** How many connections in a row may end without a new event. */
const MAX_EMPTY_ATTEMPTS = 5;

/** Resolves when the response has arrived or the request is aborted. Rejects if the stream can't be resumed. */
export async function resumeStream({ client, stream, headers, aborter, random }: ResumeOptions): Promise<void> {
  const { position } = stream;
  for (let failures = 0; ;) {
    await abortableDelay(client.clock, reconnectDelay(failures, position.retryMs, random), [aborter.signal]);
    const idBefore = position.lastEventId;
    const error = await reconnect();
    if (!error || aborter.aborted) return;
    failures = position.lastEventId === idBefore ? failures + 1 : 0;
    if (!isTransientError(error) || failures === MAX_EMPTY_ATTEMPTS) throw resumeError(client, error);
  }

  /** Reads one connection to its end. Returns undefined if the response has arrived, and otherwise why it has not. */
  async function reconnect(): Promise<HostError | undefined> {
    position.reconnect();
    try {
      const response = await client.open(
        { method: "GET", headers: { ...headers, "last-event-id": position.lastEventId ?? "" } },
        aborter,
      );
      return response.isEventStream ? await stream.read(response) : client.statusError(response);
    } catch (thrown) {
      return toHostError(thrown);
    }
  }
}

/** Returns true if another attempt may succeed. */
export function isTransientError({ code }: HostError): boolean {
  return code === "CONNECTION_LOST" || code === "SERVER_UNREACHABLE" || code === "SERVER_OVERLOADED";
}

/** Makes most errors a CONNECTION_LOST, which says that the server may have executed the request. */
function resumeError(client: HttpClient, error: HostError): HostError {
  if (error.code === "MESSAGE_TOO_LARGE" || error.code === "CONNECTION_LOST") return error;
  const { server } = client;
  const reason = "its stream ended early and could not be resumed";
  return new HostError("CONNECTION_LOST", { server, reason }, { cause: error });
}
