/** A workspace as an MCP server: what answers every front, in whichever era it speaks. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Caller, JsonObject, OfferedTool, Progress } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host";
import { gatewayIdsMeta, systemClock } from "@plugboard/mcp";
import type {
  Answers,
  Ask,
  Change,
  Clock,
  FrontContext,
  Handler,
  Filter,
  Identity,
  Listening,
  Offers,
  Op,
  Outcome,
  Resumed,
  Suspended,
} from "@plugboard/mcp";
import { Parking } from "./parking/parking.ts";
import type { ParkingLimits } from "./parking/parking.ts";
import { Tickets } from "./parking/tickets.ts";
import type { Kept } from "./parking/tickets.ts";

export interface FrontHandlerOptions {
  readonly workspace: OpenWorkspace;
  readonly identity: Identity;
  /** Whether that front's own prompt counts as consent. */
  readonly mayApprove: (principal: Caller) => boolean;
  readonly parking?: Partial<ParkingLimits>;
  readonly clock?: Clock;
}

const PATIENCE_MS = 5000;
const LIMITS: ParkingLimits = { perFront: 8, inAll: 64, lifeMs: 10 * 60_000 };

type CallParams = Extract<Op, { method: "tools/call" }>["params"];

/** Where the progress of a call goes; it changes when the call goes on with another request of its front. */
interface ProgressSink {
  on: ((progress: Progress) => void) | undefined;
}

export class FrontHandler implements Handler {
  readonly identity: Identity;

  readonly #options: FrontHandlerOptions;
  readonly #clock: Clock;
  readonly #parking: Parking;
  readonly #tickets: Tickets;
  #isSettled = false;
  readonly #sinks = new WeakMap<Suspended, ProgressSink>();

  constructor(options: FrontHandlerOptions) {
    const { clock = systemClock, parking } = options;
    const limits = { ...LIMITS, ...parking };
    this.#options = options;
    this.#clock = clock;
    this.identity = options.identity;
    this.#parking = new Parking(clock, limits);
    this.#tickets = new Tickets(clock, limits.lifeMs);
  }

  instances(): readonly string[] {
    return this.#options.workspace.instances();
  }

  offers(): Offers {
    return OFFERS;
  }

  async request(op: Op, caller: Caller, ctx: FrontContext): Promise<Outcome> {
    const { workspace } = this.#options;
    await this.#settled();
    if (op.method === "tools/list") {
      // The host's own tools are for programs without a protocol; a front has that.
      const tools = workspace.tools().filter(({ origin }) => origin === "mcp");
      const _meta = gatewayIdsMeta(this.identity, this.instances());
      return { type: "complete", result: { tools: tools.map(writeTool), _meta } };
    }
    if (op.method !== "tools/call") return notOffered(op);
    return this.#call(op.params, caller, ctx);
  }

  keep(asked: Suspended, op: Op, principal: Caller): string {
    const { portable } = asked;
    // Until it is taken up again, nobody hears of its progress.
    const sink = this.#sinks.get(asked);
    if (sink) sink.on = undefined;
    const kept = portable
      ? ({ kind: "portable", ...portable } as const)
      : ({ kind: "parked", parked: this.#parking.park(asked, principal) } as const);
    return this.#tickets.issue(kept, op, principal);
  }

  async resume(
    state: string | undefined,
    answers: Answers,
    op: Op,
    caller: Caller,
    ctx: FrontContext,
  ): Promise<Outcome> {
    try {
      const kept = this.#tickets.claim(state, op, ctx.principal);
      if (kept.kind === "portable") return await this.#goOn(kept, answers, op, caller, ctx);
      const asked = this.#parking.take(kept.parked);
      const sink = this.#sinks.get(asked) ?? { on: undefined };
      sink.on = ctx.onProgress;
      return await this.#forFront(await asked.resume(answers, { signal: ctx.signal }), ctx, sink);
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  listen(want: Filter, _caller: Caller, on: (change: Change) => void): Listening {
    if (!want.tools) return { stop: () => {} };
    return { stop: this.#options.workspace.onToolsChanged(() => on({ type: "tools" })) };
  }

  close(): void {
    this.#parking.close();
  }

  /** The server has forgotten the call and gets it again, with the answers; it was permitted when it began. */
  async #goOn(
    kept: Extract<Kept, { kind: "portable" }>,
    answers: Answers,
    op: Op,
    caller: Caller,
    ctx: FrontContext,
  ): Promise<Outcome> {
    if (op.method !== "tools/call") return notOffered(op);
    const { kind: _, ...portable } = kept;
    return this.#call(op.params, caller, ctx, { answers, ...portable });
  }

  async #call(
    { name, arguments: args }: CallParams,
    caller: Caller,
    ctx: FrontContext,
    resumed?: Resumed,
  ): Promise<Outcome> {
    const { workspace } = this.#options;
    // What is not listed to it is not there for it.
    if (workspace.isNative(name)) {
      return { type: "failed", error: new HostError("TOOL_NOT_FOUND", { tool: name }) };
    }
    const sink: ProgressSink = { on: ctx.onProgress };
    return this.#forFront(await workspace.request(name, args, this.#by(caller, ctx, sink), resumed), ctx, sink);
  }

  #by(caller: Caller, { principal, signal, elicitation }: FrontContext, sink: ProgressSink) {
    return {
      caller,
      signal,
      ownConsent: this.#options.mayApprove(principal),
      elicitation: elicitation.form || elicitation.url,
      onProgress: (progress: Progress) => sink.on?.(progress),
    };
  }

  /** Many clients list once and never again, so they wait for the servers to start; but not for ever for a slow one. */
  async #settled(): Promise<void> {
    if (this.#isSettled) return;
    let stopWaiting = () => {};
    const patience = new Promise<void>((resolve) => (stopWaiting = this.#clock.after(PATIENCE_MS, resolve)));
    await Promise.race([this.#options.workspace.started(), patience]);
    stopWaiting();
    this.#isSettled = true;
  }

  /** What a front can't be asked counts as not answered; what is denied is told to the model in words. */
  async #forFront(outcome: Outcome, ctx: FrontContext, sink: ProgressSink): Promise<Outcome> {
    let current = outcome;
    while (current.type === "asks" || current.type === "task") {
      if (current.type === "task") {
        current = await current.follow({ signal: ctx.signal });
        continue;
      }
      const askable = Object.entries(current.asks).filter(([, ask]) => canBeAsked(ask, ctx));
      if (askable.length > 0 || Object.keys(current.asks).length === 0) {
        const asked: Suspended = { ...current, asks: Object.fromEntries(askable) };
        this.#sinks.set(asked, sink);
        return asked;
      }
      current = await current.resume({}, { signal: ctx.signal });
    }
    if (current.type === "failed" && DENIALS.has(current.error.code)) return denied(current.error.message);
    return current;
  }
}

/** Tools alone, so far. */
const OFFERS: Offers = {
  tools: true,
  resources: false,
  prompts: false,
  completion: false,
  logging: false,
  tasks: false,
  subscribe: false,
  changes: { tools: true, resources: false, prompts: false },
};

function notOffered({ method }: Op): Outcome {
  return { type: "failed", error: new HostError("NOT_OFFERED", { server: "plugboard", method }) };
}

function canBeAsked(ask: Ask, { elicitation, sampling }: FrontContext): boolean {
  return ask.type === "sampling" ? sampling : elicitation[ask.elicitation.mode];
}

const DENIALS = new Set(["TOOL_DENIED", "NOBODY_TO_ASK"]);

function denied(text: string): Outcome {
  return { type: "complete", result: { content: [{ type: "text", text }], isError: true } };
}

function writeTool({ name, title, description, inputSchema, outputSchema, annotations }: OfferedTool): JsonObject {
  return {
    name,
    description,
    inputSchema,
    ...(title !== undefined && { title }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations: { ...annotations } }),
  };
}
