/**
 * Goes on with the stream of a request that ended or broke before the answer
 * came, after the last event that was read. Servers also end it on purpose, to
 * be asked again later: as long as something new comes that is no failure.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { WireHeaders } from "../wire/transport.ts";
import { pause } from "./breaker.ts";
import type { Breaker } from "./breaker.ts";
import type { AnswerStream } from "./http-answer.ts";
import type { HttpClient } from "./http-client.ts";
import { reconnectDelay } from "./reconnect-delay.ts";

interface Resume {
  readonly client: HttpClient;
  readonly stream: AnswerStream;
  readonly headers: WireHeaders;
  readonly breaker: Breaker;
  readonly random: () => number;
}

/** Connections in a row that bring nothing new. */
const MAX_FRUITLESS = 5;

/** Resolves once the answer is there, or nobody wants it any more. */
export async function resume({ client, stream, headers, breaker, random }: Resume): Promise<void> {
  const { position } = stream;
  for (let failures = 0; ;) {
    await pause(client.clock, reconnectDelay(failures, position.retryMs, random), breaker);
    const before = position.lastId;
    const why = await goOn();
    if (!why || breaker.broken) return;
    failures = position.lastId === before ? failures + 1 : 0;
    if (!isPassing(why) || failures === MAX_FRUITLESS) throw unresumed(client, why);
  }

  async function goOn(): Promise<HostError | undefined> {
    position.reconnect();
    try {
      const response = await client.open(
        { method: "GET", headers: { ...headers, "last-event-id": position.lastId ?? "" } },
        breaker,
      );
      return response.isEventStream ? await stream.read(response) : client.refused(response);
    } catch (thrown) {
      return toHostError(thrown);
    }
  }
}

/** Whether it may be better the next time. */
export function isPassing({ code }: HostError): boolean {
  return code === "CONNECTION_LOST" || code === "SERVER_UNREACHABLE" || code === "SERVER_OVERLOADED";
}

/** Whatever it was: the request may have been carried out. */
function unresumed(client: HttpClient, why: HostError): HostError {
  if (why.code === "MESSAGE_TOO_LARGE" || why.code === "CONNECTION_LOST") return why;
  const { server } = client;
  const reason = "its stream broke off and could not be resumed";
  return new HostError("CONNECTION_LOST", { server, reason }, { cause: why });
}
