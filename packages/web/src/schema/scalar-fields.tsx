/** The fields of a schema form that contain no other fields. */
import { useState } from "react";
import type { ReactNode } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { CheckBox, Field, Select, TextArea, TextInput, withHidden } from "../components/field.tsx";
import { NumberInput, numberProblem } from "../components/number-input.tsx";
import { parseJson } from "./parse-json.ts";

export interface ScalarFieldProps {
  readonly schema: JsonObject;
  readonly label: ReactNode;
  readonly hint: ReactNode;
  readonly required: boolean;
  readonly error?: string | undefined;
  /** Undefined if the value is absent. */
  readonly value: Json | undefined;
  readonly onValue: (value: Json | undefined) => void;
}

const INPUT_TYPES: { readonly [format: string]: string } = { date: "date", email: "email", uri: "url" };
/** A longer text gets several lines. */
const ONE_LINE_CHARS = 80;

export function StringField({ schema, value, onValue, hint, ...field }: ScalarFieldProps) {
  const text = typeof value === "string" ? value : "";
  const change = (changed: string) => onValue(changed === "" && !field.required ? undefined : changed);
  const isLong = text.includes("\n") || text.length > ONE_LINE_CHARS || schema["contentMediaType"] !== undefined;
  const type = (typeof schema["format"] === "string" ? INPUT_TYPES[schema["format"]] : undefined) ?? "text";
  return (
    <Field {...field} hint={withHidden(hint, value)}>
      {(attributes) =>
        isLong ? (
          <TextArea {...attributes} value={text} onValue={change} />
        ) : (
          <TextInput {...attributes} type={type} value={text} onValue={change} />
        )
      }
    </Field>
  );
}

export function NumberField({ schema, value, onValue, error, ...field }: ScalarFieldProps) {
  const { minimum, maximum } = schema;
  const problem = numberProblem(value, {
    integer: schema["type"] === "integer",
    minimum: typeof minimum === "number" ? minimum : undefined,
    maximum: typeof maximum === "number" ? maximum : undefined,
  });
  return (
    <Field {...field} error={problem ?? error}>
      {(attributes) => (
        <NumberInput
          {...attributes}
          value={typeof value === "number" || typeof value === "string" ? value : undefined}
          onValue={onValue}
        />
      )}
    </Field>
  );
}

/** One of a list of values, which may be of any type. */
export function EnumField({
  values,
  value,
  onValue,
  ...field
}: Omit<ScalarFieldProps, "schema"> & { readonly values: readonly Json[] }) {
  const index = values.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
  const choices = values.map((one, position) => ({
    value: String(position),
    label: sanitizeLine(typeof one === "string" ? one : JSON.stringify(one)),
  }));
  return (
    <Field {...field}>
      {(attributes) => (
        <Select
          {...attributes}
          value={index < 0 ? "" : String(index)}
          onValue={(text) => onValue(text === "" ? undefined : values[Number(text)])}
          choices={[{ value: "", label: field.required ? "Choose…" : "Not set" }, ...choices]}
        />
      )}
    </Field>
  );
}

export function ConstField({ schema, value, onValue, label, error }: ScalarFieldProps) {
  return (
    <div data-invalid={error}>
      <CheckBox checked={value !== undefined} onChecked={(checked) => onValue(checked ? schema["const"] : undefined)}>
        {label} = <code>{sanitize(JSON.stringify(schema["const"]))}</code>
      </CheckBox>
      {error !== undefined && <div className="field-required small">{error}</div>}
    </div>
  );
}

/** Any value as raw JSON. */
export function JsonField({ value, onValue, error: missing, ...field }: Omit<ScalarFieldProps, "schema">) {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [error, setError] = useState<string>();
  const change = (changed: string) => {
    setText(changed);
    const parsed = parseJson(changed);
    setError(parsed.error);
    if (parsed.error === undefined) onValue(parsed.value);
  };
  return (
    <Field {...field} error={error ?? missing}>
      {(attributes) => <TextArea {...attributes} code placeholder="JSON" value={text} onValue={change} />}
    </Field>
  );
}
