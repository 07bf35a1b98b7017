/** Answers the MCP requests of all clients of the gateway (fronts), of both eras, from one workspace. */
import { toHostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host/internal";
import { systemClock } from "@plugboard/mcp";
import type {
  AskAnswers,
  Change,
  ChangeFilter,
  ChangeSubscription,
  Clock,
  FrontContext,
  Identity,
  McpRequestHandler,
  Op,
  Outcome,
  ServerCapabilities,
  Suspended,
} from "@plugboard/mcp";
import type { ParkingLimits } from "../parking/parking.ts";
import { SuspendedCalls } from "../parking/suspended-calls.ts";
import { adaptOutcome } from "./adapt-outcome.ts";
import { CAPABILITIES } from "./capabilities.ts";
import { frontSink, notOffered } from "./front-request.ts";
import type { FrontRequest } from "./front-request.ts";
import { workspaceView } from "./front-view.ts";
import type { FrontView } from "./front-view.ts";
import { StartupWait } from "./startup-wait.ts";
import { ToolRequests } from "./tool-requests.ts";

export interface FrontHandlerOptions {
  readonly workspace: OpenWorkspace;
  readonly identity: Identity;
  /** Returns true if the client's own permission prompt counts as the user's permission. */
  readonly mayApprove: (principal: Caller) => boolean;
  readonly parking?: Partial<ParkingLimits>;
  readonly clock?: Clock;
}

export class FrontHandler implements McpRequestHandler {
  readonly identity: Identity;

  readonly #workspace: OpenWorkspace;
  readonly #view: FrontView;
  readonly #suspendedCalls: SuspendedCalls;
  readonly #startup: StartupWait;
  readonly #tools: ToolRequests;

  constructor({ workspace, identity, mayApprove, parking, clock = systemClock }: FrontHandlerOptions) {
    const view = workspaceView(workspace);
    this.identity = identity;
    this.#workspace = workspace;
    this.#view = view;
    this.#suspendedCalls = new SuspendedCalls(clock, parking);
    this.#startup = new StartupWait(() => workspace.whenStarted(), clock);
    this.#tools = new ToolRequests({ workspace, view, identity, mayApprove });
  }

  hostIds(): readonly string[] {
    return this.#workspace.reachableHostIds();
  }

  capabilities(): ServerCapabilities {
    return CAPABILITIES;
  }

  async request(op: Op, caller: Caller, ctx: FrontContext): Promise<Outcome> {
    await this.#startup.wait();
    return this.#run(op, { caller, ctx, sink: frontSink(ctx) });
  }

  storeSuspended(suspended: Suspended, op: Op, principal: Caller): string {
    return this.#suspendedCalls.store(suspended, op, principal);
  }

  /**
   * Sends a portable call to its server again with the answers, because its server keeps no state. It needs no new
   * permission, because it was authorized when it began.
   */
  async resume(
    state: string | undefined,
    answers: AskAnswers,
    op: Op,
    caller: Caller,
    ctx: FrontContext,
  ): Promise<Outcome> {
    try {
      const stored = this.#suspendedCalls.take(state, op, ctx);
      if ("portable" in stored) {
        return await this.#run(op, { caller, ctx, sink: frontSink(ctx), resumed: { answers, ...stored.portable } });
      }
      const outcome = await adaptOutcome(await stored.suspended.resume(answers, { signal: ctx.signal }), ctx);
      if (outcome.type === "asks") this.#suspendedCalls.setSink(outcome, stored.sink);
      return outcome;
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  listen(filter: ChangeFilter, _caller: Caller, onChange: (change: Change) => void): ChangeSubscription {
    if (!filter.tools) return { stop: () => {} };
    return { stop: this.#view.onToolsChanged(() => onChange({ type: "tools" })) };
  }

  close(): void {
    this.#suspendedCalls.close();
  }

  async #run(op: Op, request: FrontRequest): Promise<Outcome> {
    const outcome = await this.#dispatch(op, request);
    if (outcome.type === "asks") this.#suspendedCalls.setSink(outcome, request.sink);
    return outcome;
  }

  async #dispatch(op: Op, request: FrontRequest): Promise<Outcome> {
    switch (op.method) {
      case "tools/list":
        return this.#tools.list();
      case "tools/call":
        return this.#tools.call(op.params, request);
      default:
        return notOffered(op);
    }
  }
}
