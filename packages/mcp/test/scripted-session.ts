/** A session with a server that is a table of methods, in this very process. */
import { HostError } from "@plugboard/contracts";
import type { Era, JsonObject, PeerError } from "@plugboard/contracts";
import type { CallContext, Session } from "@plugboard/mcp";
import { classify } from "#wire/message.js";
import type { Message, RequestId } from "#wire/message.js";
import type { Transport, TransportEvents, WireHeaders } from "#wire/transport.js";
import { openSession } from "#dialect/open-session.js";
import type { SessionPorts } from "#dialect/session.js";
import { ann } from "./connect.ts";
import { ManualClock } from "./manual-clock.ts";

interface Request {
  readonly id: RequestId;
  readonly params: JsonObject;
  readonly headers: WireHeaders;
}

/** Instead of a result: an error, or the loss of the request. */
export class Refusal {
  readonly error: PeerError;

  constructor(error: PeerError) {
    this.error = error;
  }
}

type Answer = JsonObject | Refusal | HostError | undefined;
/** Undefined: no answer comes, unless the test gives one. */
export type Methods = { readonly [method: string]: (request: Request) => Answer | Promise<Answer> };

interface Sent {
  readonly method?: string;
  readonly id?: RequestId;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: PeerError;
  readonly headers: WireHeaders;
}

export interface Scripted {
  readonly session: Session;
  readonly clock: ManualClock;
  /** What was sent, in order. */
  readonly sent: readonly Sent[];
  /** Says something of its own accord; `via` on the stream of that request. */
  say(message: object, via?: RequestId): void;
  /** The next message that is of that method, or an answer to that id. */
  next(match: string | number): Promise<Sent>;
  lose(id: RequestId, error: HostError): void;
  close(error: HostError): void;
}

interface Options {
  readonly shared?: boolean;
  readonly capabilities?: JsonObject;
  readonly ports?: Partial<SessionPorts>;
}

export const ctx: CallContext = { caller: ann, timeoutMs: 60_000, maxMs: 600_000, elicitation: true };

export async function scripted(era: Era, methods: Methods, options: Options = {}): Promise<Scripted> {
  const { shared = true, capabilities = { tools: {}, resources: {}, prompts: {}, logging: {} }, ports } = options;
  const clock = new ManualClock();
  const sent: Sent[] = [];
  const waiting = new Set<() => void>();
  let events!: TransportEvents;
  const say = (message: object, via?: RequestId) =>
    events.message(classify({ jsonrpc: "2.0", ...message }), shared ? undefined : via);
  const all: Methods = { ...opening(era, capabilities), ...methods };
  const transport: Transport = {
    shared,
    start: (given) => void (events = given),
    send: async (message: Message, headers: WireHeaders = {}) => {
      sent.push({ ...(message as Omit<Sent, "headers">), headers });
      for (const look of [...waiting]) look();
      if (!("method" in message) || !("id" in message)) return;
      const { id, method, params = {} } = message;
      const answer = all[method] ? await all[method]({ id, params, headers }) : NO_SUCH_METHOD;
      if (!answer) return;
      if (answer instanceof HostError) return events.lost(id, answer);
      say({ id, ...(answer instanceof Refusal ? { error: answer.error } : { result: answer }) }, id);
    },
    drop: () => {},
    close: async () => {},
  };
  const session = await openSession({
    server: "scripted",
    clock,
    random: () => 0,
    connect: async () => transport,
    identity: { name: "plugboard-test", version: "0.0.0" },
    remembered: era,
    silenceMs: 1000,
    signal: new AbortController().signal,
    ports: { onStrayAsk: () => Promise.resolve({ action: "cancel" }), onClosed: () => {}, ...ports },
  });
  const next = (match: string | number, from = sent.length): Promise<Sent> =>
    new Promise((resolve) => {
      const look = () => {
        const found = sent
          .slice(from)
          .find((one) => one.method === match || (one.method === undefined && one.id === match));
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
    });
  const lose: Scripted["lose"] = (id, error) => events.lost(id, error);
  return { session, clock, sent, say, next, lose, close: (error) => events.closed(error) };
}

const NO_SUCH_METHOD = new Refusal({ code: -32601, message: "no such method" });

function opening(era: Era, capabilities: JsonObject): Methods {
  const serverInfo = { name: "scripted", version: "1" };
  if (era === "legacy") return { initialize: () => ({ protocolVersion: "2025-11-25", capabilities, serverInfo }) };
  return { "server/discover": () => ({ resultType: "complete", supportedVersions: ["2026-07-28"], capabilities }) };
}
