import { useEffect, useRef } from "react";
import { Field, TextInput } from "../../../components/field.tsx";

interface IdFieldProps {
  readonly id: string;
  readonly onId: (id: string) => void;
  readonly disabled?: boolean;
  /** True if the user has continued without an id. The field then has the focus. */
  readonly missing?: boolean;
}

export function IdField({ id, onId, disabled = false, missing = false }: IdFieldProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (missing) box.current?.querySelector("input")?.focus();
  }, [missing]);
  return (
    <div ref={box}>
      <Field
        label="Id"
        required
        hint="A short name. Tools are called as id:tool."
        error={missing ? "Give the server an id, such as files." : undefined}
      >
        {(attributes) => (
          <TextInput {...attributes} code placeholder="files" disabled={disabled} value={id} onValue={onId} />
        )}
      </Field>
    </div>
  );
}
