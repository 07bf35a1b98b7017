import { Field, TextInput } from "../../../components/field.tsx";

interface IdFieldProps {
  readonly id: string;
  readonly onId: (id: string) => void;
  readonly disabled?: boolean;
}

export function IdField({ id, onId, disabled = false }: IdFieldProps) {
  return (
    <Field label="Id" required hint="A short name. Tools are called as id:tool.">
      {(attributes) => (
        <TextInput {...attributes} code placeholder="files" disabled={disabled} value={id} onValue={onId} />
      )}
    </Field>
  );
}

/** Throws an error for an empty id. */
export function requireId(id: string): string {
  if (id.trim() === "") throw new Error("Give the server an id, such as files.");
  return id.trim();
}
