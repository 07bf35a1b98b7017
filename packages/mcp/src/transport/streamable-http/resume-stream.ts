/**
 * Goes on with the stream of a request that ended or broke before the answer
 * came, after the last event that was read. Servers also end it on purpose, to
 * be asked again later: as long as something new comes that is no failure.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { WireHeaders } from "../../wire/transport.ts";
import { abortableDelay } from "../../lib/abortable-delay.ts";
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

/** Connections in a row that bring nothing new. */
const MAX_EMPTY_ATTEMPTS = 5;

/** Resolves once the answer is there, or nobody wants it any more. */
export async function resumeStream({ client, stream, headers, aborter, random }: ResumeOptions): Promise<void> {
  const { position } = stream;
  for (let failures = 0; ;) {
    await abortableDelay(client.clock, reconnectDelay(failures, position.retryMs, random), [aborter.signal]);
    const before = position.lastEventId;
    const error = await reconnect();
    if (!error || aborter.aborted) return;
    failures = position.lastEventId === before ? failures + 1 : 0;
    if (!isTransientError(error) || failures === MAX_EMPTY_ATTEMPTS) throw resumeError(client, error);
  }

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

/** Whether it may be better the next time. */
export function isTransientError({ code }: HostError): boolean {
  return code === "CONNECTION_LOST" || code === "SERVER_UNREACHABLE" || code === "SERVER_OVERLOADED";
}

/** Whatever it was: the request may have been carried out. */
function resumeError(client: HttpClient, error: HostError): HostError {
  if (error.code === "MESSAGE_TOO_LARGE" || error.code === "CONNECTION_LOST") return error;
  const { server } = client;
  const reason = "its stream broke off and could not be resumed";
  return new HostError("CONNECTION_LOST", { server, reason }, { cause: error });
}
