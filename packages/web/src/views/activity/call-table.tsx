/** The latest calls, one row each. A call that failed, was denied or was cancelled has a button that shows why. */
import { useState } from "react";
import { isFailedCall, sanitizeLine, stoppedWord } from "@plugboard/contracts";
import { Badge } from "../../components/layout.tsx";
import { callerText } from "../../format/caller.ts";
import { formatBytes, formatKnownMs, formatTime } from "../../format/format.ts";
import { hrefOf } from "../../hooks/route.ts";
import type { ShownCall } from "../../store/page-state.ts";
import { CallFailureDialog, endText } from "./call-failure-dialog.tsx";
import { callResult, sentBytes } from "./call-result.ts";

export function CallTable({ calls, now }: { calls: readonly ShownCall[]; now: number }) {
  const [opened, setOpened] = useState<ShownCall>();
  return (
    <div className="table-scroll">
      <table className="table table-cards">
        <caption className="hidden-text">Calls</caption>
        <thead>
          <tr>
            <th>Time</th>
            <th>Tool</th>
            <th>Caller</th>
            <th>Decision</th>
            <th>Result</th>
            <th className="number">Duration</th>
            <th className="number">Sent</th>
            <th className="number">Received</th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <CallRow key={call.call} call={call} now={now} onOpen={() => setOpened(call)} />
          ))}
        </tbody>
      </table>
      {opened && <CallFailureDialog call={opened} onClose={() => setOpened(undefined)} />}
    </div>
  );
}

function CallRow({ call, now, onOpen }: { call: ShownCall; now: number; onOpen: () => void }) {
  const { at, server, tool, caller, client, decision, durationMs, resultBytes } = call;
  const { label, tone } = callResult(call);
  const sent = sentBytes(call);
  return (
    <tr>
      <td data-label="Time" className="nowrap muted">
        {formatTime(at, now)}
      </td>
      <td data-label="Tool" className="wide">
        <a className="plain-link" href={hrefOf("tools", server, tool)}>
          <code>
            {sanitizeLine(server)}:{sanitizeLine(tool)}
          </code>
        </a>
      </td>
      <td data-label="Caller">{callerText({ kind: caller, client })}</td>
      <td data-label="Decision" className={decision === undefined ? "muted" : "wide"}>
        {decision === undefined ? "–" : (DECISIONS[decision] ?? sanitizeLine(decision))}
      </td>
      <td data-label="Result" className="wide">
        <div className="row-wrap">
          <Badge tone={tone} dot>
            {label}
          </Badge>
          {(isFailedCall(call) || stoppedWord(call.code)) && (
            <button
              type="button"
              className="link-button small"
              aria-label={`Why ${sanitizeLine(server)}:${sanitizeLine(tool)} ${endText(call)}`}
              onClick={onOpen}
            >
              Why?
            </button>
          )}
        </div>
      </td>
      <td data-label="Duration" className="number nowrap">
        {formatKnownMs(durationMs)}
      </td>
      <td data-label="Sent" className="number nowrap muted">
        {sent === undefined ? "–" : formatBytes(sent)}
      </td>
      <td data-label="Received" className="number nowrap muted">
        {resultBytes === undefined ? "–" : formatBytes(resultBytes)}
      </td>
    </tr>
  );
}

const DECISIONS: { readonly [decision: string]: string } = {
  once: "allowed once",
  session: "allowed for the session",
  always: "always allowed",
  allow: "allowed by another answer",
  no: "denied by you",
  deny: "denied by a rule",
  nobody_to_ask: "nobody to ask",
  dismissed: "not answered",
  deadline: "not answered in time",
};
