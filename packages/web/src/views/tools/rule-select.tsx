/** The rule of one tool, and the other rules that may apply to it. */
import { sanitizeLine } from "@plugboard/contracts";
import type { OfferedTool, RuleEffect } from "@plugboard/contracts";
import { Select } from "../../components/field.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient, useLoad, usePage } from "../../store/context.tsx";

export function RuleSelect({ tool: { server, tool } }: { tool: OfferedTool }) {
  const client = useClient();
  const { report } = useToaster();
  const revision = usePage((state) => state.configRevision);
  const rules = useLoad(({ management }) => management.rules({ server, tool }), [server, tool, revision]);
  const rule = `${server}:${tool}`;
  const own = rules.data?.find((one) => one.rule === rule && one.source === "user")?.effect;
  const other = rules.data?.filter((one) => one.rule !== rule) ?? [];
  const change = async (value: string) => {
    const effect = value === "" ? undefined : (value as RuleEffect);
    const saved = async () => {
      await client.connected.management.setRule(rule, effect);
      await client.reloadConfig();
    };
    await report(saved(), `The rule of ${rule} is saved`);
    rules.reload();
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
      {other.map((one) => (
        <div key={`${one.effect} ${one.rule} ${one.file}`} className="small muted">
          {one.effect} <code>{sanitizeLine(one.rule)}</code> ({one.source})
        </div>
      ))}
    </div>
  );
}
