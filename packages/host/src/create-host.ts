/** The host for a program that embeds it: one workspace, read synchronously, its eager servers started. */
import type {
  CallerKind,
  CallOptions,
  ConfigProblem,
  HostApi,
  HostEvent,
  Inbox,
  JsonObject,
  OfferedTool,
  ServerStatus,
  StartReport,
  ToolRef,
  ToolResult,
  WorkspaceSpec,
} from "@plugboard/contracts";
import { Host } from "./host.ts";
import type { HostOptions } from "./host.ts";
import { answerByPort } from "./inbox/answer-port.ts";
import type { AnswerPort } from "./inbox/answer-port.ts";

export interface CreateHostOptions extends HostOptions, Partial<Omit<WorkspaceSpec, "env">> {
  readonly ports?: {
    /** Answers the questions that this program's calls cause. */
    readonly answer?: AnswerPort;
  };
}

export interface EmbeddedHost {
  readonly api: HostApi;
  /** The same host for another caller, as a program that serves several people needs it. */
  as(kind: CallerKind, options?: { readonly attended?: boolean }): HostApi;
  /** Waits until every enabled server is ready or has failed. */
  ready(): Promise<StartReport>;
  /** Starts nothing. */
  status(): ServerStatus[];
  connect(id: string): Promise<ServerStatus>;
  disconnect(id: string): Promise<void>;
  readonly tools: {
    list(): OfferedTool[];
    call(ref: ToolRef, args: JsonObject, options?: CallOptions): Promise<ToolResult>;
  };
  readonly inbox: Inbox;
  readonly config: {
    /** What is wrong with the files and with what was given here; never fatal for the servers that are right. */
    problems(): ConfigProblem[];
  };
  events(after?: number, signal?: AbortSignal): AsyncIterable<HostEvent>;
  /** Nothing is left running. */
  close(): Promise<void>;
}

/** Returns once the config is read; the servers start meanwhile. */
export async function createHost(options: CreateHostOptions = {}): Promise<EmbeddedHost> {
  const { ports = {}, cwd = process.cwd(), servers, configFiles, permissions, ...hostOptions } = options;
  const host = new Host(hostOptions);
  const api = host.as("program", { attended: ports.answer !== undefined });
  const { caller } = api;
  const workspace = await host.open({
    cwd,
    ...(servers !== undefined && { servers }),
    ...(configFiles !== undefined && { configFiles }),
    ...(permissions !== undefined && { permissions }),
  });
  const bound = host.bind(workspace, caller);
  if (ports.answer) {
    const { inbox, events } = host;
    answerByPort(ports.answer, { inbox, caller, state: events.state });
  }
  const started = workspace.start();
  return {
    api,
    as: (kind, attendance) => host.as(kind, attendance),
    ready: () => started,
    status: () => workspace.status(),
    connect: (id) => bound.servers.connect(id),
    disconnect: (id) => bound.servers.disconnect(id),
    tools: { list: () => workspace.tools(), call: (ref, args, options) => bound.tools.call(ref, args, options) },
    inbox: bound.inbox,
    config: { problems: () => workspace.problems() },
    // The program owns the host: it may know of every caller's questions.
    events: (after, signal) => host.events.events(after, signal),
    close: () => host.close(),
  };
}
