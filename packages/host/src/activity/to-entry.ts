/**
 * What the journal keeps of a fact: who, what, how it ended and how long it
 * took. Arguments, results, messages and answers never get this far, since
 * nobody knows which of them holds a secret.
 */
import type { ActivityEntry, HostEvent, Settlement } from "@plugboard/contracts";

/** Nothing for a fact that is not worth a line. */
export function toEntry(event: HostEvent): ActivityEntry | undefined {
  const { at } = event;
  switch (event.type) {
    case "call.ended": {
      const { call, caller, server, outcome, isError, code, durationMs, argumentBytes, resultBytes } = event;
      return {
        type: "call",
        at,
        call,
        caller: caller.kind,
        server,
        tool: short(event.tool),
        outcome,
        ...(isError && { isError }),
        ...(code && { code }),
        durationMs: Math.round(durationMs * 1000) / 1000,
        ...(argumentBytes !== undefined && { argumentBytes }),
        ...(resultBytes !== undefined && { resultBytes }),
      };
    }
    case "question.settled": {
      const { type: about, server, tool } = event.question;
      const decision = decisionOf(event.settlement);
      return { type: "decision", at, about, server, ...(tool !== undefined && { tool: short(tool) }), decision };
    }
    case "server.changed": {
      const { server, state, error } = event;
      return { type: "server", at, server, state, ...(error && { code: error.code }) };
    }
    case "config.changed": {
      const { added, removed, changed } = event;
      return { type: "config", at, added, removed, changed };
    }
    default:
      return undefined;
  }
}

function decisionOf(settlement: Settlement): string {
  if (settlement.by !== "answered") return settlement.by;
  const { answer } = settlement;
  return answer.type === "permission" ? answer.decision : answer.action;
}

const LONGEST = 200;

/** A server may call its tools what it likes. */
function short(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name;
}
