/** Asks for the values that a server of the registry needs. Secrets are stored as secrets, not in the definition. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { EditableScope, RegistryChoice, RegistryHit } from "@plugboard/contracts";
import { useClient } from "../../../hooks/context.tsx";
import { IdField } from "../edit/id-field.tsx";
import { PlanDialog } from "../edit/plan-dialog.tsx";
import { RegistryInputControl } from "./registry-input-control.tsx";
import { ScopeField } from "../edit/scope-field.tsx";
import { useScopes } from "../edit/use-scopes.ts";
import { useServerId } from "../edit/use-server-id.ts";
import { toRegistryValues } from "./registry-values.ts";

interface RegistryServerDialogProps {
  readonly hit: RegistryHit;
  readonly choice: RegistryChoice;
  readonly onClose: () => void;
  readonly onBack: () => void;
}

export function RegistryServerDialog({ hit, choice, onClose, onBack }: RegistryServerDialogProps) {
  const client = useClient();
  const serverId = useServerId(hit.id);
  const [scope, setScope] = useState<EditableScope>("user");
  const scopes = useScopes();
  const [texts, setTexts] = useState<{ readonly [input: string]: string }>({});
  const { name, version, title = name } = hit;
  const { label, inputs } = choice;
  const makePlan = async () => {
    const values = toRegistryValues(inputs, texts);
    if (!serverId.check()) return undefined;
    const { id } = serverId;
    return client.connected.operations.planRegistryServer({ id, scope, name, version, choice: label, values });
  };
  return (
    <PlanDialog title={`Add ${sanitizeLine(title)}`} makePlan={makePlan} onClose={onClose} onBack={onBack}>
      <p className="muted">{sanitizeLine(label)}</p>
      {inputs.map((input) => (
        <RegistryInputControl
          key={input.name}
          input={input}
          value={texts[input.name] ?? ""}
          onValue={(text) => setTexts((old) => ({ ...old, [input.name]: text }))}
        />
      ))}
      <IdField {...serverId.field} />
      <ScopeField scopes={scopes} scope={scope} onScope={setScope} />
    </PlanDialog>
  );
}
