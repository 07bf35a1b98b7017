/** Applies an event of the host to the state of the page. Pure. */
import { answerRows, clientNameOf, serverMs } from "@plugboard/contracts";
import type { Caller, HostEvent, ServerStatus } from "@plugboard/contracts";
import { MAX_CALLS, MAX_LATENCIES, withServers } from "./page-state.ts";
import type { ShownCall, PageState } from "./page-state.ts";

const MAX_NOTICES = 50;

export function applyEvent(state: PageState, event: HostEvent): PageState {
  switch (event.type) {
    case "server.changed":
      return withServers(
        state,
        state.servers.map((server) => withChange(server, event)),
      );
    case "catalog.changed": {
      const servers = state.servers.map((server) =>
        server.id === event.server ? { ...server, tools: event.tools } : server,
      );
      const revision = (state.contentRevisions[event.server] ?? 0) + 1;
      const contentRevisions = { ...state.contentRevisions, [event.server]: revision };
      return { ...state, servers, contentRevisions, catalogRevision: state.catalogRevision + 1 };
    }
    case "config.changed":
      return {
        ...state,
        configRevision: state.configRevision + 1,
        catalogRevision: state.catalogRevision + 1,
        notices: withNotice(state, event),
      };
    case "call.started":
      return { ...state, calls: [startedCall(event), ...state.calls].slice(0, MAX_CALLS) };
    case "call.ended": {
      const calls = withEndedCall(state.calls, event);
      const ended = calls.find(({ call }) => call === event.call);
      return {
        ...state,
        calls,
        callRevision: state.callRevision + 1,
        latencies: withLatency(state.latencies, ended),
      };
    }
    case "decision.made":
      return {
        ...state,
        calls: withDecision(state.calls, event),
        ...(isStored(event.decision) && { decisionRevision: state.decisionRevision + 1 }),
      };
    case "question.asked": {
      const others = state.questions.filter(({ id }) => id !== event.question.id);
      return { ...state, questions: [...others, event.question] };
    }
    case "question.settled":
      return { ...state, questions: state.questions.filter(({ id }) => id !== event.question.id) };
    case "config.failed":
      return { ...state, configRevision: state.configRevision + 1, notices: withNotice(state, event) };
    case "state.failed":
    case "activity.failed":
    case "login.failed":
    case "decision.dropped":
    case "question.unattended":
    case "sampling.refused":
    case "telemetry.failed":
    case "port.failed":
      return { ...state, notices: withNotice(state, event) };
    case "decision.lapsed":
      return { ...state, decisionRevision: state.decisionRevision + 1, notices: withNotice(state, event) };
    case "login.changed":
    case "login.waiting":
    case "clients.changed":
    case "resource.updated":
    case "chat.event":
    case "events.missed":
      return state;
  }
}

/** True if the statuses of servers must be read again, because the event has only a part of them. */
export function changesServers({ type }: HostEvent): boolean {
  return ["server.changed", "catalog.changed", "config.changed", "login.changed"].includes(type);
}

function withChange(server: ServerStatus, event: Extract<HostEvent, { type: "server.changed" }>): ServerStatus {
  if (server.id !== event.server) return server;
  const { retryAt: _, lastError: __, ...rest } = server;
  return {
    ...rest,
    state: event.state,
    ...(event.error && { lastError: event.error }),
    ...(event.retryAt !== undefined && { retryAt: event.retryAt }),
  };
}

function startedCall({ call, at, caller, server, tool }: Extract<HostEvent, { type: "call.started" }>): ShownCall {
  return { call, at, ...originOf(caller), server, tool, outcome: "running" };
}

/** Equal to the fields of the journal's entry, so that a call looks the same after a reload. */
function originOf(caller: Caller): Pick<ShownCall, "caller" | "client"> {
  const client = clientNameOf(caller);
  return { caller: caller.kind, ...(client !== undefined && { client }) };
}

/** Returns whether the host stores the decision for later calls. */
function isStored(decision: Extract<HostEvent, { type: "decision.made" }>["decision"]): boolean {
  return answerRows().some(([, { answer, grant }]) => grant !== undefined && answer.decision === decision);
}

function withDecision(
  calls: readonly ShownCall[],
  { call, decision }: Extract<HostEvent, { type: "decision.made" }>,
): readonly ShownCall[] {
  const index = calls.findIndex((one) => one.call === call);
  return index < 0 ? calls : calls.with(index, { ...calls[index]!, decision });
}

function withEndedCall(
  calls: readonly ShownCall[],
  event: Extract<HostEvent, { type: "call.ended" }>,
): readonly ShownCall[] {
  const { call, outcome, isError, schemaMismatch, code, notSent, durationMs, argumentBytes, resultBytes } = event;
  const { startMs, queueMs, questionMs, retryMs } = event;
  const ended = {
    outcome,
    durationMs,
    ...(isError && { isError }),
    ...(schemaMismatch && { schemaMismatch }),
    ...(code !== undefined && { code }),
    ...(notSent && { notSent }),
    ...(startMs !== undefined && { startMs }),
    ...(queueMs !== undefined && { queueMs }),
    ...(questionMs !== undefined && { questionMs }),
    ...(retryMs !== undefined && { retryMs }),
    ...(argumentBytes !== undefined && { argumentBytes }),
    ...(resultBytes !== undefined && { resultBytes }),
  };
  const index = calls.findIndex((one) => one.call === call);
  if (index < 0) {
    const { at, caller, server, tool } = event;
    return [{ call, at, ...originOf(caller), server, tool, ...ended }, ...calls].slice(0, MAX_CALLS);
  }
  return calls.with(index, { ...calls[index]!, ...ended });
}

function withLatency(latencies: PageState["latencies"], ended: ShownCall | undefined): PageState["latencies"] {
  const latency = ended && serverMs(ended);
  if (latency === undefined) return latencies;
  const { server } = ended!;
  return { ...latencies, [server]: [...(latencies[server] ?? []), latency].slice(-MAX_LATENCIES) };
}

function withNotice({ notices }: PageState, event: HostEvent): PageState["notices"] {
  return [{ seq: event.seq, at: event.at, event }, ...notices].slice(0, MAX_NOTICES);
}
