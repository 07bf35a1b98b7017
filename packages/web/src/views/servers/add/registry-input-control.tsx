/** One value that a server of the registry needs. */
import { sanitizeLine } from "@plugboard/contracts";
import type { RegistryInputField } from "@plugboard/contracts";
import { Field, Select, TextArea, TextInput } from "../../../components/field.tsx";

interface RegistryInputControlProps {
  readonly input: RegistryInputField;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

export function RegistryInputControl({ input, value, onValue }: RegistryInputControlProps) {
  const { name, required, secret, repeated } = input;
  const hint = hintOf(input);
  const options = optionsOf(input);
  const placeholder = sanitizeLine(input.placeholder ?? input.default ?? "");
  return (
    <Field label={<code>{sanitizeLine(name)}</code>} required={required} {...(hint !== "" && { hint })}>
      {(attributes) => {
        if (options) return <Select {...attributes} value={value} onValue={onValue} choices={options} />;
        const props = { ...attributes, code: true, placeholder, value, onValue };
        if (repeated && !secret) return <TextArea {...props} rows={2} />;
        return (
          <TextInput {...props} type={secret ? "password" : "text"} autoComplete={secret ? "new-password" : "off"} />
        );
      }}
    </Field>
  );
}

function hintOf({
  description = "",
  secret,
  repeated,
  required,
  default: fallback,
  choices,
}: RegistryInputField): string {
  const parts = [
    description,
    repeated && !secret && "One value in each line.",
    secret && "A secret: it is stored as a secret, not in the definition.",
    secret && required && "If you leave it empty, set it before the first use.",
    fallback !== undefined && !choices && `Default: ${fallback}.`,
  ];
  const sentences = parts.filter((part): part is string => Boolean(part)).map(sanitizeLine);
  return sentences.map((text) => (/[.!?:…]$/.test(text) ? text : `${text}.`)).join(" ");
}

/** Returns undefined for an input that takes any text. */
function optionsOf({ choices, format, default: fallback }: RegistryInputField) {
  const values = choices ?? (format === "boolean" ? ["true", "false"] : undefined);
  if (!values) return undefined;
  const none = fallback === undefined ? "Not set" : `Default: ${sanitizeLine(fallback)}`;
  return [{ value: "", label: none }, ...values.map((one) => ({ value: one, label: sanitizeLine(one) }))];
}
