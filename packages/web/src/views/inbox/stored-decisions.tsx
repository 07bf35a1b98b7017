/** The answers that allow more than one call, each with a button to revoke it. */
import { useMemo } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { StoredDecision } from "@plugboard/contracts";
import { ActionButton } from "../../components/button.tsx";
import { Badge } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { formatTime } from "../../format/format.ts";
import { itemKey } from "../../format/item-key.ts";
import { useClient, usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { decisionScope } from "../../questions/describe-decision.ts";

export function useDecisions(): readonly StoredDecision[] {
  const revision = usePage((state) => state.decisionRevision);
  // A decision lapses when the tool changes.
  const catalog = usePage((state) => state.catalogRevision);
  return useLoad(({ workspace }) => workspace.permissions.decisions(), [revision], catalog).data ?? NO_DECISIONS;
}

/** Returns the tools that have changed since the user allowed them, each as `itemKey`. */
export function useLapsedTools(): ReadonlySet<string> {
  const decisions = useDecisions();
  return useMemo(
    () => new Set(decisions.flatMap(({ server, tool, lapsed }) => (lapsed ? [itemKey(server, tool)] : []))),
    [decisions],
  );
}

const NO_DECISIONS: readonly StoredDecision[] = [];

export function DecisionRow({ decision }: { decision: StoredDecision }) {
  const { server, tool, scope, at, rule, lapsed } = decision;
  return (
    <div className="row">
      <Badge tone={lapsed ? "warn" : "ok"}>{lapsed ? "lapsed" : scope}</Badge>
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
          {lapsed && ". The tool has changed since you allowed it, so you will be asked again."}
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
