/** Renders the events of a host as one line each, for the terminal of `plugboard serve`. Pure. */
import {
  clientNameOf,
  commandMessage,
  sanitizeLine,
  stoppedWord,
  formatDuration,
  isInvalid,
  isUntrusted,
} from "@plugboard/contracts";
import type { Caller, HostErrorJson, HostEvent, ServerStatus } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { StyleName, Text } from "../../terminal/text.ts";
import { needsLogin } from "../logins/render-logins.ts";
import { shortName } from "../quote-untrusted.ts";

/** A line about a server or the host. */
export interface HostLine {
  readonly style?: StyleName;
  readonly text: string;
  /**
   * Identifies the line if its text contains a time. A line with the key of the previous line about the server is not
   * shown.
   */
  readonly key?: string;
}

/** Returns undefined for an event that gets no line, and for `server.changed`, which `describeServerLine` describes. */
export function describeEvent(event: HostEvent): HostLine | undefined {
  switch (event.type) {
    case "call.ended":
      return describeCall(event);
    case "config.changed":
      return describeConfigChange(event);
    case "config.failed":
      return problem("config error", event.error);
    case "login.changed":
      return { text: `${event.server}: ${LOGIN_CHANGES[event.change]}${forPrincipal(event)}` };
    case "login.failed":
      return problem(`${event.server}: the login failed`, event.error);
    case "decision.made":
      return describeDecision(event);
    case "decision.dropped":
      return warning(
        `your permission for ${toolOf(event)} was dropped, because it does not say for whom you gave it. You are asked again`,
      );
    case "decision.lapsed":
      return warning(`${toolOf(event)} has changed since you allowed it. You are asked again`);
    case "question.unattended":
      return warning(`${toolOf(event)} asked "${event.message}", but nobody can answer`);
    case "sampling.refused":
      return warning(`${toolOf(event)} asked for a text of the model: ${event.reason}`);
    case "state.failed":
      return problem("state", event.error);
    case "port.failed":
      return problem(`port ${event.port}`, event.error);
    case "activity.failed":
      return warning(`the activity can't be written: ${event.reason}`);
    case "telemetry.failed":
      return warning(event.reason);
    case "events.missed":
      return warning(`${event.count} events were too fast to be shown`);
    default:
      return undefined;
  }
}

/** Describes a server that is ready, has failed or needs the user. Returns undefined while it starts or is not used. */
export function describeServerLine(server: ServerStatus, now: number): HostLine | undefined {
  const { id, state, tools, lastError, retryAt } = server;
  if (isUntrusted(server)) return warning(`${id}: waits for your approval. Run \`plugboard trust\``);
  if (needsLogin(server)) return warning(`${id}: needs a login. Run \`plugboard login ${id}\``);
  if (state === "ready") return { style: "green", text: `${id}: ready, ${tools} ${tools === 1 ? "tool" : "tools"}` };
  if (retryAt !== undefined) {
    // 999 ms more, so that the seconds are rounded up.
    const retrying = `${id}: failed, retrying in ${formatDuration(retryAt - now + 999)}`;
    return { ...(lastError ? problem(retrying, lastError) : warning(retrying)), key: `retrying ${lastError?.message}` };
  }
  const hasFailed = state === "error" || state === "auth_required" || isInvalid(server);
  return hasFailed && lastError ? problem(`${id}: failed`, lastError) : undefined;
}

/** Describes the calls of a second that got no lines of their own. */
export function describeMoreCalls({ calls, failed }: { readonly calls: number; readonly failed: number }): HostLine {
  const counted = calls === 1 ? "1 more call" : `${calls} more calls`;
  return failed === 0 ? { text: counted } : { style: "red", text: `${counted}, ${failed} of them failed` };
}

/** Renders a line with its time. All text is on one line, whatever servers write into it. */
export function renderHostLine({ style, text }: HostLine, at: number): Text {
  const line = sanitizeLine(text);
  return [styled("dim", clockTime(at)), "  ", style ? styled(style, line) : line, "\n"];
}

type EventOf<Type extends HostEvent["type"]> = Extract<HostEvent, { readonly type: Type }>;

function describeCall(event: EventOf<"call.ended">): HostLine {
  const { server, tool, caller, outcome, isError, schemaMismatch, code, durationMs } = event;
  const stopped = stoppedWord(code);
  const failed = outcome === "failed" && !stopped;
  const done = schemaMismatch ? "done, with a result that does not match its output schema," : "done";
  const ending = stopped ?? (failed ? `failed (${code ?? "unknown error"})` : isError ? "returned an error" : done);
  const text = `${server}:${tool} ${ending} after ${Math.round(durationMs)} ms, called by ${callerName(caller)}`;
  return failed ? { style: "red", text } : isError || schemaMismatch || stopped ? { style: "yellow", text } : { text };
}

/** Names the token of a client of the gateway, or the name that it gives itself. */
function callerName(caller: Caller): string {
  const name = clientNameOf(caller);
  // "front" is a word of the code. People know it as a client.
  const word = caller.kind === "front" ? "client" : caller.kind;
  return name === undefined ? word : `${word} ${shortName(name)}`;
}

function describeConfigChange({ added, removed, changed }: EventOf<"config.changed">): HostLine {
  const parts = Object.entries({ added, removed, changed }).flatMap(([verb, ids]) =>
    ids.length > 0 ? `${verb} ${ids.join(", ")}` : [],
  );
  return { style: "cyan", text: `config read again: ${parts.join("; ") || "no server has changed"}` };
}

function describeDecision({ server, tool, caller, decision, by }: EventOf<"decision.made">): HostLine | undefined {
  const reason = DENIALS[decision];
  return reason === undefined
    ? undefined
    : warning(`${server}:${tool} ${reason} (${by}), called by ${callerName(caller)}`);
}

const DENIALS: { readonly [Decision in EventOf<"decision.made">["decision"]]?: string } = {
  no: "denied",
  deny: "denied",
  dismissed: "denied",
  deadline: "denied, because nobody answered in time",
  nobody_to_ask: "denied, because there is nobody to ask",
};

const LOGIN_CHANGES: { readonly [Change in EventOf<"login.changed">["change"]]: string } = {
  logged_in: "logged in",
  refreshed: "login refreshed",
  expired: "login expired",
  logged_out: "logged out",
};

function forPrincipal({ principal }: EventOf<"login.changed">): string {
  return principal === undefined ? "" : ` (${principal}, for itself)`;
}

function toolOf({ server, tool }: { readonly server: string; readonly tool?: string }): string {
  return tool === undefined ? server : `${server}:${tool}`;
}

function warning(text: string): HostLine {
  return { style: "yellow", text };
}

function problem(subject: string, error: HostErrorJson): HostLine {
  return { style: "red", text: `${subject}: ${error.code}: ${commandMessage(error)}` };
}

function clockTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
