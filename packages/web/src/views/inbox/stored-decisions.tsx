/** The answers that allow more than one call, each with a button to revoke it. */
import { sanitizeLine } from "@plugboard/contracts";
import type { StoredDecision } from "@plugboard/contracts";
import { ActionButton } from "../../components/button.tsx";
import { Badge } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { formatTime } from "../../format/format.ts";
import { useClient, usePage } from "../../store/context.tsx";
import { useLoad } from "../../store/use-load.ts";
import { decisionScope } from "./describe-decision.ts";

export function useDecisions(): readonly StoredDecision[] {
  const revision = usePage((state) => state.decisionRevision);
  return useLoad(({ workspace }) => workspace.permissions.decisions(), [revision]).data ?? NO_DECISIONS;
}

const NO_DECISIONS: readonly StoredDecision[] = [];

export function DecisionRow({ decision }: { decision: StoredDecision }) {
  const { server, tool, scope, at, rule } = decision;
  return (
    <div className="row">
      <Badge tone="ok">{scope}</Badge>
      <div className="grow">
        <code>
          {sanitizeLine(server)}:{sanitizeLine(tool)}
        </code>
        <div className="small muted">
          {decisionScope(decision)}
          {rule !== undefined && (
            <>
              , if the rule <code>{sanitizeLine(rule)}</code> asks
            </>
          )}
          , since {formatTime(at, Date.now())}
        </div>
      </div>
      <RevokeButton decision={decision} />
    </div>
  );
}

export function RevokeButton({ decision: { id, server, tool } }: { decision: StoredDecision }) {
  const client = useClient();
  const { report } = useToaster();
  const revoke = async () => {
    await report(client.connected.workspace.permissions.revoke(id), "The decision is revoked");
    client.state.update((state) => ({ ...state, decisionRevision: state.decisionRevision + 1 }));
  };
  return (
    <ActionButton
      small
      aria-label={`Revoke the decision on ${sanitizeLine(server)}:${sanitizeLine(tool)}`}
      onAction={revoke}
    >
      Revoke
    </ActionButton>
  );
}
