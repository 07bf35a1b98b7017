/** Asks what a client may use: all servers, or a profile. */
import { Field, Select } from "../../components/field.tsx";

interface ProfileFieldProps {
  /** An empty text stands for all servers. */
  readonly value: string;
  readonly onValue: (profile: string) => void;
  readonly profiles: readonly string[];
}

const NO_PROFILES = "To let it use only some servers or tools, define a profile as mcp.profiles in your config file.";

export function ProfileField({ value, onValue, profiles }: ProfileFieldProps) {
  const choices = profiles.map((profile) => ({ value: profile, label: `Profile ${profile}` }));
  return (
    <Field label="What it may use" hint={profiles.length === 0 ? NO_PROFILES : undefined}>
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
