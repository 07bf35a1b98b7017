/** The rule of one tool, the other rules that may apply to it, and the decisions that answer its questions. */
import { sanitizeLine } from "@plugboard/contracts";
import type { OfferedTool, PermissionRule, RuleEffect, StoredDecision } from "@plugboard/contracts";
import { Select } from "../../components/field.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { formatTime } from "../../format/format.ts";
import { useClient, usePage } from "../../store/context.tsx";
import { useLoad } from "../../store/use-load.ts";
import { decisionScope } from "../inbox/describe-decision.ts";
import { RevokeButton, useDecisions } from "../inbox/stored-decisions.tsx";

/** `pin` is absent for a tool that is not offered. */
type Target = Pick<OfferedTool, "server" | "tool"> & { readonly pin?: string };

export function RuleSelect({ tool: target }: { tool: Target }) {
  const { server, tool } = target;
  const client = useClient();
  const { report } = useToaster();
  const revision = usePage((state) => state.configRevision);
  const rules = useLoad(({ management }) => management.rules({ server, tool }), [server, tool, revision]);
  const decisions = useDecisions();
  const rule = `${server}:${tool}`;
  const own = rules.data?.find((one) => one.rule === rule && one.source === "user")?.effect;
  const other = rules.data?.filter((one) => one.rule !== rule) ?? [];
  const change = async (value: string) => {
    const effect = value === "" ? undefined : (value as RuleEffect);
    const saved = async () => {
      await client.connected.management.setRule(rule, effect);
      // An earlier answer to this rule would still allow the calls.
      if (effect === "ask") await revokeDecisions();
      await client.reloadConfig();
    };
    await report(saved(), `The rule of ${rule} is saved`);
    rules.reload();
  };
  const revokeDecisions = async () => {
    const { permissions } = client.connected.workspace;
    const stored = await permissions.decisions();
    for (const one of stored) if (one.server === server && one.tool === tool) await permissions.revoke(one.id);
    client.state.update((state) => ({ ...state, decisionRevision: state.decisionRevision + 1 }));
  };
  return (
    <div className="stack-tight">
      <Select
        aria-label={`Permission of ${sanitizeLine(rule)}`}
        value={own ?? ""}
        onValue={(value) => void change(value)}
        choices={[
          { value: "", label: "No rule of its own" },
          { value: "allow", label: "Allow always" },
          { value: "ask", label: "Ask each time" },
          { value: "deny", label: "Deny always" },
        ]}
      />
      {decisions
        .filter((decision) => rules.data && isInEffect(decision, target, rules.data))
        .map((decision) => (
          <div key={decision.id} className="row-wrap small">
            <span className="grow">{decisionText(decision)}</span>
            <RevokeButton decision={decision} />
          </div>
        ))}
      {other.map((one) => (
        <div key={`${one.effect} ${one.rule} ${one.file}`} className="small muted">
          {one.effect} <code>{sanitizeLine(one.rule)}</code> ({one.source})
        </div>
      ))}
    </div>
  );
}

/** A decision is bound to the tool's definition, and to the rule that asked or to the absence of one. */
function isInEffect(
  decision: StoredDecision,
  { server, tool, pin }: Target,
  rules: readonly PermissionRule[],
): boolean {
  if (decision.server !== server || decision.tool !== tool || decision.pin !== pin) return false;
  const asking = rules.filter(({ effect }) => effect === "ask");
  if (decision.rule !== undefined) return asking.some(({ rule }) => rule === decision.rule);
  return asking.every(({ rule }) => hasArguments(rule));
}

function hasArguments(rule: string): boolean {
  return rule.includes("(");
}

function decisionText(decision: StoredDecision): string {
  const { scope, rule, at } = decision;
  const allows = scope === "always" ? "always allow it" : `allow it ${decisionScope(decision)}`;
  const start = rule === undefined ? "You" : `The rule ${sanitizeLine(rule)} asks, but you`;
  return `${start} ${allows} (since ${formatTime(at, Date.now())}).`;
}
