/** The permission rules of all files, and the decisions that answers to questions have stored. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { RuleEffect } from "@plugboard/contracts";
import { ActionButton } from "../../components/button.tsx";
import { Select, TextInput } from "../../components/field.tsx";
import { Badge, Card } from "../../components/layout.tsx";
import type { Tone } from "../../components/layout.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient, usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { SOURCE_TEXTS } from "../servers/source-texts.ts";
import { DecisionRow, useDecisions } from "../inbox/stored-decisions.tsx";

const TONES: { readonly [Effect in RuleEffect]: Tone } = { allow: "ok", ask: "warn", deny: "danger" };

export function Rules() {
  const client = useClient();
  const { report } = useToaster();
  const revision = usePage((state) => state.configRevision);
  const rules = useLoad(({ operations }) => operations.rules(), [revision]);
  const decisions = useDecisions();
  const [rule, setRule] = useState("");
  const [effect, setEffect] = useState<RuleEffect>("ask");
  const change = async (text: string, wanted?: RuleEffect) => {
    const saved = async () => {
      const { operations } = client.connected;
      await (wanted ? operations.addRules(wanted, [text]) : operations.removeRules({ rules: [text] }));
      await client.reloadConfig();
    };
    const done = await report(saved(), wanted ? `The rule of ${text} is saved` : `The rule of ${text} is removed`);
    rules.reload();
    return done;
  };
  return (
    <Card title="Permission rules">
      {!rules.data && (
        <p className="muted">
          <NotLoaded />
        </p>
      )}
      {rules.data?.length === 0 && (
        <p className="muted">
          {decisions.length === 0
            ? "No rules. Calls ask you first."
            : "No rules. Calls ask you first, except those that you have allowed below."}
        </p>
      )}
      {rules.data?.map((one) => (
        <div key={`${one.effect} ${one.rule} ${one.file}`} className="row">
          <Badge tone={TONES[one.effect]}>{one.effect}</Badge>
          <code className="grow cut">{sanitizeLine(one.rule)}</code>
          <span className="small muted">{SOURCE_TEXTS[one.source]}</span>
          {one.source === "user" && (
            <ActionButton
              small
              kind="quiet"
              aria-label={`Remove the rule ${sanitizeLine(one.rule)}`}
              onAction={() => change(one.rule)}
            >
              Remove
            </ActionButton>
          )}
        </div>
      ))}
      <form
        className="row-wrap"
        onSubmit={(event) => {
          event.preventDefault();
          void change(rule.trim(), effect).then((done) => done && setRule(""));
        }}
      >
        <div className="grow">
          <TextInput
            aria-label="New rule"
            code
            placeholder="server:tool, such as files:write_*"
            value={rule}
            onValue={setRule}
          />
        </div>
        <div>
          <Select
            aria-label="Effect"
            value={effect}
            onValue={(value) => setEffect(value as RuleEffect)}
            choices={(["allow", "ask", "deny"] as const).map((value) => ({ value, label: value }))}
          />
        </div>
        <button type="submit" className="button" disabled={rule.trim() === ""}>
          Add rule
        </button>
      </form>
      {decisions.length > 0 && <h3>Calls that you have allowed in a question</h3>}
      {decisions.map((decision) => (
        <DecisionRow key={decision.id} decision={decision} />
      ))}
    </Card>
  );
}
