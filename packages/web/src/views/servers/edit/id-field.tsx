/** The field for the id of a server. */
import { useEffect, useRef } from "react";
import { Field, TextInput } from "../../../components/field.tsx";

interface IdFieldProps {
  readonly id: string;
  readonly onId: (id: string) => void;
  readonly disabled?: boolean;
  /** The reason why the user can't continue with this id. The field then has the focus. */
  readonly error?: string | undefined;
}

export function IdField({ id, onId, disabled = false, error }: IdFieldProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== undefined) box.current?.querySelector("input")?.focus();
  }, [error]);
  return (
    <div ref={box}>
      <Field
        label="Id"
        required
        hint="A short name of letters, digits, - and _. Tools are called as id:tool."
        error={error}
      >
        {(attributes) => (
          <TextInput {...attributes} code placeholder="files" disabled={disabled} value={id} onValue={onId} />
        )}
      </Field>
    </div>
  );
}
