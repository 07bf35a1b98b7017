/** How the call of a trial has ended: its result or its error. */
import { useEffect } from "react";
import { sanitize } from "@plugboard/contracts";
import { ContentList } from "../../components/content-view.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, Notice } from "../../components/layout.tsx";
import { formatKnownMs } from "../../format/format.ts";
import { useClient } from "../../hooks/context.tsx";
import type { FinishedTrial, Trial } from "../../store/tool-trials.ts";

export function TrialResult({ trial }: { trial: Trial | undefined }) {
  const client = useClient();
  useEffect(() => {
    if (trial) client.toolTrials.markSeen(trial);
  }, [client, trial]);
  return (
    <div role="status" aria-live="polite" aria-label="Result" tabIndex={-1} data-after-question>
      {trial?.state.phase === "finished" && <Outcome finished={trial.state} />}
    </div>
  );
}

function Outcome({ finished: { ms, waitedMs, result, error } }: { finished: FinishedTrial }) {
  if (error?.code === "CANCELLED") {
    return (
      <p className="muted">
        Cancelled. <span className="small">({durationText(ms, waitedMs)})</span>
      </p>
    );
  }
  if (error) {
    return (
      <Notice tone="danger">
        <strong>{error.code}</strong> {sanitize(error.message)}{" "}
        <span className="muted">({durationText(ms, waitedMs)})</span>
      </Notice>
    );
  }
  const { content, structuredContent, isError } = result!;
  return (
    <div className="stack">
      <div className="row">
        <Badge tone={isError ? "danger" : "ok"} dot>
          {isError ? "the tool reports an error" : "done"}
        </Badge>
        <span className="small muted">after {durationText(ms, waitedMs)}</span>
      </div>
      <ContentList content={content} />
      {structuredContent !== undefined && (
        <details open={content.length === 0}>
          <summary>Structured result</summary>
          <div className="code-block">
            <JsonView value={structuredContent} />
          </div>
        </details>
      )}
    </div>
  );
}

/** Returns the duration of the call, and how much of it the call waited for the user. */
function durationText(ms: number, waitedMs: number): string {
  return waitedMs === 0
    ? formatKnownMs(ms)
    : `${formatKnownMs(ms)}, of which ${formatKnownMs(waitedMs)} waited for an answer`;
}
