/** Answers the MCP requests of all clients of the gateway (fronts), of both eras, from one workspace. */
import { mayApprove, toHostError, systemClock } from "@plugboard/contracts";
import type { Caller, JsonObject, LogEntry, LogLevel, Clock } from "@plugboard/contracts";
import type { ForwardedServer, HostOutputs } from "@plugboard/host/forwarding";
import type { Telemetry } from "@plugboard/host/tracing";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type {
  AskAnswers,
  Change,
  ChangeFilter,
  ChangeSubscription,
  FrontClient,
  FrontContext,
  Identity,
  McpRequestHandler,
  Op,
  Outcome,
  ServerCapabilities,
  Suspended,
} from "@plugboard/mcp";
import type { ParkingLimits } from "../parking/parking.ts";
import type { SharedStates } from "../parking/request-states.ts";
import { SuspendedCalls } from "../parking/suspended-calls.ts";
import { ProfileView } from "../profiles/profile-view.ts";
import { StoredOutputs } from "../profiles/stored-outputs.ts";
import { frontCapabilities } from "./capabilities.ts";
import { ChangeSubscriptions } from "./change-subscriptions.ts";
import type { ConnectedFronts } from "./connected-fronts.ts";
import { CompletionRequests } from "../requests/completion-requests.ts";
import { ExtensionRequests } from "../requests/extension-requests.ts";
import { askAgain } from "../parking/ask-again.ts";
import { frontSink } from "../requests/front-request.ts";
import type { FrontRequest } from "../requests/front-request.ts";
import type { FrontView } from "../profiles/front-view.ts";
import { joinedInstructions } from "./instructions.ts";
import { observeRequest } from "./observe-request.ts";
import { PromptRequests } from "../requests/prompt-requests.ts";
import { ResourceDirectory } from "../profiles/resource-directory.ts";
import { ResourceRequests } from "../requests/resource-requests.ts";
import { StartupWait } from "./startup-wait.ts";
import { TaskOwners } from "../requests/task-owners.ts";
import { TaskRequests } from "../requests/task-requests.ts";
import { ToolRequests } from "../requests/tool-requests.ts";

export interface FrontHandlerOptions {
  readonly workspace: OpenWorkspace;
  /** The name of the profile whose view the clients get. By default they see the whole workspace. */
  readonly profile?: string | undefined;
  /** Stores the full text of results that are cut. */
  readonly outputs: HostOutputs;
  readonly identity: Identity;
  readonly parking?: Partial<ParkingLimits>;
  /** Where request states are kept, so that calls can be continued after a restart. By default in memory. */
  readonly states?: SharedStates | undefined;
  /** Records the requests of clients. */
  readonly telemetry?: Telemetry | undefined;
  readonly clock?: Clock;
  /** Counts the requests and calls of each client. */
  readonly fronts?: Pick<ConnectedFronts, "beginRequest" | "countCall">;
}

export class FrontHandler implements McpRequestHandler {
  readonly identity: Identity;

  readonly #workspace: OpenWorkspace;
  readonly #capabilities = frontCapabilities(() => this.#servers());
  readonly #telemetry: Telemetry | undefined;
  readonly #fronts: FrontHandlerOptions["fronts"];
  readonly #view: FrontView;
  readonly #suspendedCalls: SuspendedCalls;
  readonly #startup: StartupWait;
  readonly #changes: ChangeSubscriptions;
  readonly #tools: ToolRequests;
  readonly #resources: ResourceRequests;
  readonly #prompts: PromptRequests;
  readonly #completions: CompletionRequests;
  readonly #tasks: TaskRequests;
  readonly #extensions: ExtensionRequests;

  constructor(options: FrontHandlerOptions) {
    const { workspace, identity, parking, clock = systemClock } = options;
    const view = new ProfileView(workspace, options.profile);
    const outputs = new StoredOutputs(options.outputs);
    this.identity = identity;
    this.#workspace = workspace;
    this.#telemetry = options.telemetry;
    this.#fronts = options.fronts;
    this.#view = view;
    this.#suspendedCalls = new SuspendedCalls(clock, parking, options.states);
    this.#startup = new StartupWait(() => workspace.whenToolsKnown((server) => view.includes(server)), clock);
    const directory = new ResourceDirectory(workspace, view);
    const resultContext = { workspace, view, directory, outputs };
    const taskOwners = new TaskOwners(workspace, view);
    const tasks = (this.#tasks = new TaskRequests({ workspace, owners: taskOwners, resultContext }));
    const prompts = (this.#prompts = new PromptRequests({ workspace, view, directory }));
    this.#tools = new ToolRequests({ workspace, view, directory, tasks, resultContext, identity });
    this.#resources = new ResourceRequests({ workspace, view, directory, outputs });
    this.#completions = new CompletionRequests({ workspace, prompts, directory });
    this.#extensions = new ExtensionRequests({ workspace, view, directory, taskOwners });
    this.#changes = new ChangeSubscriptions({ workspace, view, directory, tasks, taskOwners });
  }

  get instructions(): string | undefined {
    return joinedInstructions(this.#servers());
  }

  ready(): Promise<void> {
    return this.#startup.wait();
  }

  hostIds(): readonly string[] {
    return this.#workspace.reachableHostIds();
  }

  onRequest(caller: Caller, client: FrontClient): () => void {
    return this.#fronts?.beginRequest(caller, client) ?? (() => {});
  }

  capabilities(): ServerCapabilities {
    return this.#capabilities;
  }

  inputSchema(tool: string): JsonObject | undefined {
    return this.#view.findTool(tool)?.definition.inputSchema;
  }

  async request(op: Op, caller: Caller, ctx: FrontContext): Promise<Outcome> {
    if (op.method === "tools/call") this.#fronts?.countCall(caller, ctx.revision);
    if (!this.#startup.isOver) await this.#startup.wait();
    return observeRequest(this.#telemetry, { op, caller, ctx }, (observed) =>
      this.#run(op, { caller, ctx: observed, sink: frontSink(ctx) }),
    );
  }

  storeSuspended(suspended: Suspended, op: Op, session: Caller): Promise<string> {
    return this.#suspendedCalls.store(suspended, op, session);
  }

  /** Continues a call that has asked a question. Without a state, begins a new call with the answers. */
  async resume(
    state: string | undefined,
    answers: AskAnswers,
    op: Op,
    caller: Caller,
    ctx: FrontContext,
  ): Promise<Outcome> {
    return observeRequest(this.#telemetry, { op, caller, ctx }, (observed) =>
      this.#resume(state, answers, op, caller, observed),
    );
  }

  async #resume(
    state: string | undefined,
    answers: AskAnswers,
    op: Op,
    caller: Caller,
    ctx: FrontContext,
  ): Promise<Outcome> {
    const request = { caller, ctx, sink: frontSink(ctx) };
    if (state === undefined) {
      await this.#startup.wait();
      return this.#run(op, { ...request, resumed: { answers, round: 0 } });
    }
    try {
      // After a restart, the servers may not have started.
      if (!this.#startup.isOver) await this.#startup.wait();
      const stored = await this.#suspendedCalls.take(state, op, ctx);
      // Neither this host nor the server keeps a portable call, so it runs again with the answers.
      if ("portable" in stored) return await this.#run(op, { ...request, resumed: { answers, ...stored.portable } });
      const { suspended, sink } = stored;
      const unanswered = askAgain(suspended, answers);
      const outcome =
        unanswered ?? (await suspended.resume(answers, { signal: ctx.signal, mayApprove: mayApprove(caller) }));
      if (outcome.type === "asks") this.#suspendedCalls.setSink(outcome, sink);
      return outcome;
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  listen(filter: ChangeFilter, caller: Caller, onChange: (change: Change) => void): ChangeSubscription {
    return this.#changes.listen(filter, caller, onChange);
  }

  listenLogs(level: LogLevel, caller: Caller, onLog: (entry: LogEntry) => void): ChangeSubscription {
    return this.#changes.listenLogs(level, caller, onLog);
  }

  /**
   * Cancels the parked calls of a principal whose token was revoked. Its results and tasks need no cleanup: no later
   * token gets the same id.
   */
  forgetPrincipal(principal: string): void {
    this.#suspendedCalls.forgetPrincipal(principal);
  }

  close(): void {
    this.#suspendedCalls.close();
    this.#view.close();
  }

  #servers(): ForwardedServer[] {
    return this.#workspace.forwarding.servers().filter(({ id }) => this.#view.includes(id));
  }

  async #run(op: Op, request: FrontRequest): Promise<Outcome> {
    let outcome: Outcome;
    try {
      outcome = await this.#dispatch(op, request);
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
    if (outcome.type === "asks") this.#suspendedCalls.setSink(outcome, request.sink);
    return outcome;
  }

  #dispatch(op: Op, request: FrontRequest): Outcome | Promise<Outcome> {
    switch (op.method) {
      case "tools/list":
        return this.#tools.list(op.params, request);
      case "tools/call":
        return this.#tools.call(op.params, request);
      case "resources/list":
        return this.#resources.list(op.params, request);
      case "resources/templates/list":
        return this.#resources.templates(op.params, request);
      case "resources/read":
        return this.#resources.read(op.params, request);
      case "prompts/list":
        return this.#prompts.list(op.params, request);
      case "prompts/get":
        return this.#prompts.get(op.params, request);
      case "completion/complete":
        return this.#completions.complete(op.params, request);
      case "tasks/get":
      case "tasks/update":
      case "tasks/cancel":
      case "tasks/result":
        return this.#tasks.request(op, request);
      case "tasks/list":
        return this.#tasks.list(op.params, request);
      case "extension":
        return this.#extensions.request(op.params, request);
    }
  }
}
