import { Field, Select } from "../../components/field.tsx";

interface ProfileFieldProps {
  /** An empty text stands for all servers. */
  readonly value: string;
  readonly onValue: (profile: string) => void;
  readonly profiles: readonly string[];
}

export function ProfileField({ value, onValue, profiles }: ProfileFieldProps) {
  const choices = profiles.map((profile) => ({ value: profile, label: `Profile ${profile}` }));
  return (
    <Field label="What it may use">
      {(attributes) => (
        <Select
          {...attributes}
          value={value}
          onValue={onValue}
          choices={[{ value: "", label: "All servers" }, ...choices]}
        />
      )}
    </Field>
  );
}
