/** Asks who gets a new server, and shows the file that it is written to. */
import type { EditableScope, ScopeInfo } from "@plugboard/contracts";
import { Field, Select } from "../../../components/field.tsx";

const SCOPE_LABELS: { readonly [Scope in EditableScope]: string } = {
  user: "You, in every folder",
  project: "Everybody in this project",
  local: "You, in this project",
};

interface ScopeFieldProps {
  readonly scopes: readonly ScopeInfo[];
  readonly scope: EditableScope;
  readonly onScope: (scope: EditableScope) => void;
}

export function ScopeField({ scopes, scope, onScope }: ScopeFieldProps) {
  if (scopes.length === 0) return null;
  return (
    <Field label="Who gets it" hint={<code>{scopes.find((one) => one.scope === scope)?.file}</code>}>
      {(attributes) => (
        <Select
          {...attributes}
          value={scope}
          onValue={(value) => onScope(value as EditableScope)}
          choices={scopes.map((one) => ({ value: one.scope, label: SCOPE_LABELS[one.scope] }))}
        />
      )}
    </Field>
  );
}
