/** A session with a server in the same process that answers from a table of methods. */
import { HostError } from "@plugboard/contracts";
import type { Era, JsonObject, PeerError } from "@plugboard/contracts";
import type { CallContext, Session } from "@plugboard/mcp";
import { classify } from "#wire/message.js";
import type { Message, RequestId } from "#wire/message.js";
import type { Transport, TransportEvents, WireHeaders } from "#wire/transport.js";
import { openSession } from "#dialect/open-session.js";
import type { SessionPorts } from "#session/session.js";
import { ann } from "./connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

interface Request {
  readonly id: RequestId;
  readonly params: JsonObject;
  readonly headers: WireHeaders;
}

/** A method returns this to send an error instead of a result. */
export class ErrorReply {
  readonly error: PeerError;

  constructor(error: PeerError) {
    this.error = error;
  }
}

type Answer = JsonObject | ErrorReply | HostError | undefined;
/** A method returns undefined to send no response. The test may send one later. */
export type Methods = { readonly [method: string]: (request: Request) => Answer | Promise<Answer> };

interface SentMessage {
  readonly method?: string;
  readonly id?: RequestId;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: PeerError;
  readonly headers: WireHeaders;
}

export interface ScriptedSession {
  readonly session: Session;
  readonly clock: ManualClock;
  /** The sent messages, in order. */
  readonly sent: readonly SentMessage[];
  /** Sends a message from the server; `via` names the request on whose stream it goes. */
  receive(message: object, via?: RequestId): void;
  /** Waits for the next sent message with the given method, or for the response with the given id. */
  next(match: string | number): Promise<SentMessage>;
  failRequest(id: RequestId, error: HostError): void;
  close(error: HostError): void;
}

interface Options {
  readonly shared?: boolean;
  readonly capabilities?: JsonObject;
  readonly ports?: Partial<SessionPorts>;
}

export const ctx: CallContext = { caller: ann, timeoutMs: 60_000, maxMs: 600_000, elicitation: true };

export async function openScriptedSession(era: Era, methods: Methods, options: Options = {}): Promise<ScriptedSession> {
  const { shared = true, capabilities = { tools: {}, resources: {}, prompts: {}, logging: {} }, ports } = options;
  const clock = new ManualClock();
  const sent: SentMessage[] = [];
  const waiting = new Set<() => void>();
  let events!: TransportEvents;
  const receive = (message: object, via?: RequestId) =>
    events.message(classify({ jsonrpc: "2.0", ...message }), shared ? undefined : via);
  const allMethods: Methods = { ...handshakeMethods(era, capabilities), ...methods };
  const transport: Transport = {
    multiplexed: shared,
    start: (transportEvents) => void (events = transportEvents),
    send: async (message: Message, headers: WireHeaders = {}) => {
      sent.push({ ...(message as Omit<SentMessage, "headers">), headers });
      for (const look of [...waiting]) look();
      if (!("method" in message) || !("id" in message)) return;
      const { id, method, params = {} } = message;
      const result = allMethods[method] ? await allMethods[method]({ id, params, headers }) : NO_SUCH_METHOD;
      if (!result) return;
      if (result instanceof HostError) return events.requestFailed(id, result);
      receive({ id, ...(result instanceof ErrorReply ? { error: result.error } : { result }) }, id);
    },
    closeRequestStream: () => {},
    close: async () => {},
  };
  const session = await openSession(
    {
      server: "scripted",
      clock,
      random: () => 0,
      identity: { name: "plugboard-test", version: "0.0.0" },
      silenceMs: 1000,
      ports: { onUnattributedRequest: () => Promise.resolve({ action: "cancel" }), ...ports },
    },
    {
      connect: async () => transport,
      rememberedEra: era,
      signal: new AbortController().signal,
      onClosed: () => {},
    },
  );
  const next = (match: string | number, from = sent.length): Promise<SentMessage> =>
    new Promise((resolve) => {
      const look = () => {
        const found = sent
          .slice(from)
          .find((message) => message.method === match || (message.method === undefined && message.id === match));
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
    });
  const failRequest: ScriptedSession["failRequest"] = (id, error) => events.requestFailed(id, error);
  return { session, clock, sent, receive, next, failRequest, close: (error) => events.closed(error) };
}

const NO_SUCH_METHOD = new ErrorReply({ code: -32601, message: "no such method" });

function handshakeMethods(era: Era, capabilities: JsonObject): Methods {
  const serverInfo = { name: "scripted", version: "1" };
  if (era === "legacy") return { initialize: () => ({ protocolVersion: "2025-11-25", capabilities, serverInfo }) };
  return { "server/discover": () => ({ resultType: "complete", supportedVersions: ["2026-07-28"], capabilities }) };
}
