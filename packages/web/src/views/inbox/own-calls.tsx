/**
 * The calls that the user tries on this page. They may wait for an answer in the inbox. Each has a link to its result.
 */
import { sanitizeLine } from "@plugboard/contracts";
import { Badge, Card } from "../../components/layout.tsx";
import type { Tone } from "../../components/layout.tsx";
import { itemKey } from "../../format/item-key.ts";
import { hrefOf } from "../../hooks/route.ts";
import { usePage } from "../../hooks/context.tsx";
import { isAboutCall } from "../../store/page-call.ts";
import type { Trial } from "../../store/tool-trials.ts";
import { useTrials } from "../../hooks/use-trials.ts";

export function OwnCalls() {
  const questions = usePage((state) => state.questions);
  const calls = [...useTrials().values()].flatMap((trial) => {
    const waits = questions.some((question) => isAboutCall(question, trial));
    const shown = describeTrial(trial, waits);
    return shown ? [{ ...trial, ...shown }] : [];
  });
  if (calls.length === 0) return null;
  return (
    <Card title="Your calls">
      <p className="small muted">The result of a call appears at its tool.</p>
      <div className="stack" aria-live="polite">
        {calls.map(({ server, tool, label, tone, link }) => (
          <div key={itemKey(server, tool)} className="row-wrap">
            <Badge tone={tone} dot>
              {label}
            </Badge>
            <code className="grow">
              {sanitizeLine(server)}:{sanitizeLine(tool)}
            </code>
            <a className="button button-small" href={hrefOf("tools", server, tool)}>
              {link}
            </a>
          </div>
        ))}
      </div>
    </Card>
  );
}

interface ShownTrial {
  readonly label: string;
  readonly tone: Tone;
  readonly link: string;
}

/** Returns undefined for a call whose end the user has seen. */
function describeTrial({ state }: Trial, waits: boolean): ShownTrial | undefined {
  if (state.phase === "running") {
    const [label, tone] = waits ? (["waits for an answer", "warn"] as const) : (["running", "info"] as const);
    return { label, tone, link: "Go to the call" };
  }
  if (state.phase === "prepared" || state.seen) return undefined;
  const link = "Show the result";
  if (state.error?.code === "CANCELLED") return { label: "cancelled", tone: "neutral", link };
  if (state.error) return { label: "failed", tone: "danger", link };
  return state.result?.isError ? { label: "tool error", tone: "danger", link } : { label: "done", tone: "ok", link };
}
