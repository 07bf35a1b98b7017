/** Answers the MCP requests of all clients of the gateway (fronts), of both eras, from one workspace. */
import { commandMessage, HostError, toHostError } from "@plugboard/contracts";
import type { Caller, JsonObject, OfferedTool, Progress } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host/internal";
import { gatewayIdsMeta, systemClock } from "@plugboard/mcp";
import type {
  AskAnswers,
  Ask,
  Change,
  Clock,
  FrontContext,
  McpRequestHandler,
  ChangeFilter,
  Identity,
  ChangeSubscription,
  ServerCapabilities,
  Op,
  Outcome,
  Resumed,
  Suspended,
} from "@plugboard/mcp";
import { Parking } from "./parking/parking.ts";
import type { ParkingLimits } from "./parking/parking.ts";
import { RequestStates } from "./parking/request-states.ts";
import type { ResumeTarget } from "./parking/request-states.ts";

export interface FrontHandlerOptions {
  readonly workspace: OpenWorkspace;
  readonly identity: Identity;
  /** Returns true if the client's own permission prompt counts as the user's permission. */
  readonly mayApprove: (principal: Caller) => boolean;
  readonly parking?: Partial<ParkingLimits>;
  readonly clock?: Clock;
}

/** How long the first request waits for the servers to start. */
const STARTUP_WAIT_MS = 5000;
const DEFAULT_LIMITS: ParkingLimits = { perFront: 8, total: 64, ttlMs: 10 * 60_000 };

type CallParams = Extract<Op, { method: "tools/call" }>["params"];

/** Where the progress of a call goes: to the client's current request. Replaced when the call continues in another request. */
interface ProgressSink {
  onProgress: ((progress: Progress) => void) | undefined;
}

export class FrontHandler implements McpRequestHandler {
  readonly identity: Identity;

  readonly #options: FrontHandlerOptions;
  readonly #clock: Clock;
  readonly #parking: Parking;
  readonly #requestStates: RequestStates;
  #hasWaitedForStart = false;
  readonly #progressSinks = new WeakMap<Suspended, ProgressSink>();

  constructor(options: FrontHandlerOptions) {
    const { clock = systemClock, parking } = options;
    const limits = { ...DEFAULT_LIMITS, ...parking };
    this.#options = options;
    this.#clock = clock;
    this.identity = options.identity;
    this.#parking = new Parking(clock, limits);
    this.#requestStates = new RequestStates(clock, limits.ttlMs);
  }

  hostIds(): readonly string[] {
    return this.#options.workspace.reachableHostIds();
  }

  capabilities(): ServerCapabilities {
    return CAPABILITIES;
  }

  async request(op: Op, caller: Caller, ctx: FrontContext): Promise<Outcome> {
    const { workspace } = this.#options;
    await this.#waitForStart();
    if (op.method === "tools/list") {
      // The host's own tools stand for MCP methods, such as reading resources. A client of the gateway is not offered them.
      const tools = workspace.tools.list().filter(({ origin }) => origin === "mcp");
      const _meta = gatewayIdsMeta(this.identity, this.hostIds());
      return { type: "complete", result: { tools: tools.map(toMcpTool), _meta } };
    }
    if (op.method !== "tools/call") return notOffered(op);
    return this.#call(op.params, caller, ctx);
  }

  storeSuspended(suspended: Suspended, op: Op, principal: Caller): string {
    const { portable } = suspended;
    // No request receives progress until the call is resumed.
    const sink = this.#progressSinks.get(suspended);
    if (sink) sink.onProgress = undefined;
    const target = portable
      ? ({ kind: "portable", ...portable } as const)
      : ({ kind: "parked", callId: this.#parking.park(suspended, principal) } as const);
    return this.#requestStates.issue(target, op, principal);
  }

  async resume(
    state: string | undefined,
    answers: AskAnswers,
    op: Op,
    caller: Caller,
    ctx: FrontContext,
  ): Promise<Outcome> {
    try {
      const target = this.#requestStates.redeem(state, op, ctx.principal);
      if (target.kind === "portable") return await this.#resumePortable(target, answers, op, caller, ctx);
      const suspended = this.#parking.take(target.callId);
      const sink = this.#progressSinks.get(suspended) ?? { onProgress: undefined };
      sink.onProgress = ctx.onProgress;
      return await this.#adaptForFront(await suspended.resume(answers, { signal: ctx.signal }), ctx, sink);
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  listen(filter: ChangeFilter, _caller: Caller, onChange: (change: Change) => void): ChangeSubscription {
    if (!filter.tools) return { stop: () => {} };
    return { stop: this.#options.workspace.tools.onChanged(() => onChange({ type: "tools" })) };
  }

  close(): void {
    this.#parking.close();
  }

  /**
   * Sends the call to its server again with the answers, because the server of a portable call keeps no state. The call
   * needs no new permission, because it was authorized when it began.
   */
  async #resumePortable(
    target: Extract<ResumeTarget, { kind: "portable" }>,
    answers: AskAnswers,
    op: Op,
    caller: Caller,
    ctx: FrontContext,
  ): Promise<Outcome> {
    if (op.method !== "tools/call") return notOffered(op);
    const { kind: _, ...portable } = target;
    return this.#call(op.params, caller, ctx, { answers, ...portable });
  }

  async #call(
    { name, arguments: args }: CallParams,
    caller: Caller,
    ctx: FrontContext,
    resumed?: Resumed,
  ): Promise<Outcome> {
    const { workspace } = this.#options;
    // Native tools are not listed to clients, so they can't be called either.
    if (workspace.tools.isNative(name)) {
      return { type: "failed", error: new HostError("TOOL_NOT_FOUND", { tool: name }) };
    }
    const sink: ProgressSink = { onProgress: ctx.onProgress };
    return this.#adaptForFront(
      await workspace.calls.request(name, args, this.#callContext(caller, ctx, sink), resumed),
      ctx,
      sink,
    );
  }

  #callContext(caller: Caller, { principal, signal, elicitation }: FrontContext, sink: ProgressSink) {
    return {
      caller,
      signal,
      ownConsent: this.#options.mayApprove(principal),
      elicitation: elicitation.form || elicitation.url,
      onProgress: (progress: Progress) => sink.onProgress?.(progress),
    };
  }

  /** Delays the first request until the servers have started, because many clients list tools only once. */
  async #waitForStart(): Promise<void> {
    if (this.#hasWaitedForStart) return;
    let stopWaiting = () => {};
    const timeout = new Promise<void>((resolve) => (stopWaiting = this.#clock.after(STARTUP_WAIT_MS, resolve)));
    await Promise.race([this.#options.workspace.whenStarted(), timeout]);
    stopWaiting();
    this.#hasWaitedForStart = true;
  }

  /**
   * Resumes the call without answers while the client supports none of its questions, and follows tasks to their end.
   * Turns a denial into a result that the model can read.
   */
  async #adaptForFront(outcome: Outcome, ctx: FrontContext, sink: ProgressSink): Promise<Outcome> {
    let current = outcome;
    while (current.type === "asks" || current.type === "task") {
      if (current.type === "task") {
        current = await current.follow({ signal: ctx.signal });
        continue;
      }
      const supported = Object.entries(current.asks).filter(([, ask]) => isSupported(ask, ctx));
      if (supported.length > 0 || Object.keys(current.asks).length === 0) {
        const suspended: Suspended = { ...current, asks: Object.fromEntries(supported) };
        this.#progressSinks.set(suspended, sink);
        return suspended;
      }
      current = await current.resume({}, { signal: ctx.signal });
    }
    if (current.type === "failed" && DENIAL_CODES.has(current.error.code))
      return deniedResult(commandMessage(current.error));
    return current;
  }
}

/** The gateway offers only tools. */
const CAPABILITIES: ServerCapabilities = {
  tools: true,
  resources: false,
  prompts: false,
  completion: false,
  logging: false,
  tasks: false,
  subscribe: false,
  listChanged: { tools: true, resources: false, prompts: false },
};

function notOffered({ method }: Op): Outcome {
  return { type: "failed", error: new HostError("NOT_OFFERED", { server: "plugboard", method }) };
}

function isSupported(ask: Ask, { elicitation, sampling }: FrontContext): boolean {
  return ask.type === "sampling" ? sampling : elicitation[ask.elicitation.mode];
}

const DENIAL_CODES = new Set(["TOOL_DENIED", "NOBODY_TO_ASK"]);

function deniedResult(text: string): Outcome {
  return { type: "complete", result: { content: [{ type: "text", text }], isError: true } };
}

function toMcpTool({ name, title, description, inputSchema, outputSchema, annotations }: OfferedTool): JsonObject {
  return {
    name,
    description,
    inputSchema,
    ...(title !== undefined && { title }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations: { ...annotations } }),
  };
}
