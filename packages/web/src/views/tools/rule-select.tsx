/** The rule of one tool, the other rules that may apply to it, and the decisions that answer its questions. */
import { OWNER, sanitizeLine } from "@plugboard/contracts";
import type { OfferedTool, PermissionRule, RuleEffect, StoredDecision } from "@plugboard/contracts";
import { Select } from "../../components/field.tsx";
import { Notice } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { isBuiltIn } from "../../format/built-in.ts";
import { formatTime } from "../../format/format.ts";
import { useClient, usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { decisionScope } from "../../questions/describe-decision.ts";
import { RevokeButton, useDecisions } from "../inbox/stored-decisions.tsx";
import { hasArguments, ruleInForce } from "./rule-in-force.ts";

/** `pin` is absent for a tool that is not offered. */
type Target = Pick<OfferedTool, "server" | "tool"> & Partial<Pick<OfferedTool, "pin" | "annotations">>;

export function RuleSelect({ tool: target }: { tool: Target }) {
  const { server, tool } = target;
  const client = useClient();
  const { report } = useToaster();
  const revision = usePage((state) => state.configRevision);
  const rules = useLoad(({ operations }) => operations.rules({ server, tool }), [server, tool, revision]);
  const decisions = useDecisions();
  const rule = `${server}:${tool}`;
  const own = rules.data?.find((one) => one.rule === rule && one.source === "user");
  const inForce = rules.data && ruleInForce(rules.data);
  const other = rules.data?.filter((one) => one !== own && one !== inForce) ?? [];
  const stored = decisions.filter((decision) => rules.data && isInEffect(decision, target, rules.data));
  const change = async (value: string) => {
    const effect = value === "" ? undefined : (value as RuleEffect);
    const saved = async () => {
      const { operations } = client.connected;
      await (effect ? operations.addRules(effect, [rule]) : operations.removeRules({ rules: [rule] }));
      // An earlier answer to this rule would still allow the calls.
      if (effect === "ask") await revokeDecisions();
      await client.reloadConfig();
    };
    // A rule that denies the tool wins. The text below the choice then says that the choice has no effect.
    const isWithoutEffect = effect !== undefined && inForce?.effect === "deny" && inForce !== own;
    await report(saved(), isWithoutEffect ? undefined : `The rule of ${rule} is saved`);
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
        value={own?.effect ?? ""}
        onValue={(value) => void change(value)}
        choices={[
          { value: "", label: "No rule of its own" },
          { value: "allow", label: "Allow always" },
          { value: "ask", label: "Ask each time" },
          { value: "deny", label: "Deny always" },
        ]}
      />
      {own && inForce && own !== inForce && (
        <Notice tone="warn">
          Your choice has no effect, because another rule wins: {inForce.effect}{" "}
          <code>{sanitizeLine(inForce.rule)}</code> in <code>{sanitizeLine(inForce.file)}</code>.
        </Notice>
      )}
      {rules.data && !stored.some(allowsOwner) && (
        <div className="small">
          <InForce rule={inForce} target={target} />
        </div>
      )}
      {stored.map((decision) => (
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

const IN_FORCE: { readonly [Effect in RuleEffect]: string } = { allow: "Allowed", ask: "Asks", deny: "Denied" };

/** What happens to a call now, and why. */
function InForce({ rule, target }: { rule: PermissionRule | undefined; target: Target }) {
  if (rule) {
    return (
      <>
        Now: {IN_FORCE[rule.effect]} by the rule <code>{sanitizeLine(rule.rule)}</code> ({rule.source}).
      </>
    );
  }
  if (isBuiltIn(target.server))
    return "Now: no rule matches. Built-in tools ask before they change something or send a request to a server.";
  if (target.annotations?.readOnlyHint === true)
    return "Now: asks, because no rule matches, unless the server’s definition trusts its claims.";
  return "Now: asks, because no rule matches.";
}

/**
 * A decision counts only while the tool has the same definition and the same rule asks. If no rule had asked, it counts
 * while no rule asks.
 */
function isInEffect(
  decision: StoredDecision,
  { server, tool, pin }: Target,
  rules: readonly PermissionRule[],
): boolean {
  if (decision.server !== server) return false;
  const approved = decision.pins ? decision.pins[tool] : decision.tool === tool && decision.pin;
  if (approved !== pin) return false;
  const asking = rules.filter(({ effect }) => effect === "ask");
  if (decision.rule !== undefined) return asking.some(({ rule }) => rule === decision.rule);
  return asking.every(hasArguments);
}

/** Whether the decision always allows calls of the owner. */
function allowsOwner({ scope, grantee }: StoredDecision): boolean {
  return scope === "always" && (grantee === "everyone" || grantee.id === OWNER.id);
}

function decisionText(decision: StoredDecision): string {
  const { scope, rule, at, grantee } = decision;
  const isOwn = grantee !== "everyone" && grantee.id === OWNER.id;
  const always = isOwn ? "always allow it" : `always allow it ${decisionScope(decision)}`;
  const allows = scope === "always" ? always : `allow it ${decisionScope(decision)}`;
  const start = rule === undefined ? "You" : `The rule ${sanitizeLine(rule)} asks, but you`;
  return `${start} ${allows} (since ${formatTime(at, Date.now())}).`;
}
