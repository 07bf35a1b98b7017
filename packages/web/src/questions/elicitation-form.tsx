/** The form by which a server asks the user for input. */
import { useState } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { FormField, FormValue } from "@plugboard/contracts";
import { ActionButton, Button } from "../components/button.tsx";
import { CheckBox, Field, Select, TextInput, withHidden } from "../components/field.tsx";
import { NumberInput, numberProblem } from "../components/number-input.tsx";
import { MISSING_TEXT, useMissingFields } from "../hooks/use-missing-fields.ts";

type Values = { readonly [field: string]: FormValue };

interface ElicitationFormProps {
  readonly fields: readonly FormField[];
  readonly onSubmit: (values: Values) => Promise<void>;
  readonly onDecline: () => Promise<void>;
}

export function ElicitationForm({ fields, onSubmit, onDecline }: ElicitationFormProps) {
  const [values, setValues] = useState<Values>(() => defaultsOf(fields));
  const missing = fields.filter(({ name, required }) => required && values[name] === undefined).map(({ name }) => name);
  const { form, marked, check } = useMissingFields(missing);
  const set = (name: string, value: FormValue | undefined) => {
    const { [name]: _, ...others } = values;
    setValues(value === undefined ? others : { ...values, [name]: value });
  };
  return (
    <form
      ref={form}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (check()) void onSubmit(values);
      }}
    >
      {fields.map((field) => (
        <FormControl
          key={field.name}
          field={field}
          value={values[field.name]}
          missing={marked.includes(field.name)}
          onValue={(value) => set(field.name, value)}
        />
      ))}
      <div className="row-wrap">
        <Button type="submit" kind="primary">
          Send
        </Button>
        <ActionButton onAction={onDecline}>Decline</ActionButton>
      </div>
    </form>
  );
}

interface FormControlProps {
  readonly field: FormField;
  readonly value: FormValue | undefined;
  readonly missing: boolean;
  readonly onValue: (value: FormValue | undefined) => void;
}

function FormControl({ field, value, missing, onValue }: FormControlProps) {
  const label = sanitizeLine(field.title ?? field.name);
  const hint = field.description === undefined ? undefined : sanitize(field.description);
  const error = missing ? MISSING_TEXT : undefined;
  const common = { label, hint, error, required: field.required };
  switch (field.type) {
    case "boolean":
      return (
        <CheckBox checked={value === true} onChecked={onValue}>
          {label} {hint !== undefined && <span className="small muted">{hint}</span>}
        </CheckBox>
      );
    case "choice":
      return (
        <Field {...common}>
          {(attributes) => (
            <Select
              {...attributes}
              value={String(field.choices.findIndex((choice) => choice.value === value))}
              onValue={(index) => onValue(field.choices[Number(index)]?.value)}
              choices={[
                { value: "-1", label: "Choose…" },
                ...field.choices.map(({ title }, index) => ({ value: String(index), label: sanitizeLine(title) })),
              ]}
            />
          )}
        </Field>
      );
    case "choices": {
      const chosen = Array.isArray(value) ? value : [];
      const toggle = (choice: string, checked: boolean) => {
        const next = checked ? [...chosen, choice] : chosen.filter((one) => one !== choice);
        onValue(next.length === 0 && !field.required ? undefined : next);
      };
      return (
        <fieldset className="group" data-invalid={error}>
          <legend className="field-label">{label}</legend>
          {hint !== undefined && <div className="small muted">{hint}</div>}
          {field.choices.map((choice) => (
            <CheckBox
              key={choice.value}
              checked={chosen.includes(choice.value)}
              onChecked={(checked) => toggle(choice.value, checked)}
            >
              {sanitizeLine(choice.title)}
            </CheckBox>
          ))}
          {error !== undefined && <span className="field-required small">{error}</span>}
        </fieldset>
      );
    }
    case "number":
    case "integer":
      return (
        <Field {...common} error={numberProblem(value, { ...field, integer: field.type === "integer" }) ?? error}>
          {(attributes) => (
            <NumberInput
              {...attributes}
              value={typeof value === "number" || typeof value === "string" ? value : undefined}
              onValue={onValue}
            />
          )}
        </Field>
      );
    case "string":
      return (
        <Field {...common} hint={withHidden(hint, value)}>
          {(attributes) => (
            <TextInput
              {...attributes}
              type={field.format === "email" ? "email" : field.format === "date" ? "date" : "text"}
              maxLength={field.maxLength}
              value={typeof value === "string" ? value : ""}
              onValue={(text) => onValue(text === "" ? undefined : text)}
            />
          )}
        </Field>
      );
  }
}

function defaultsOf(fields: readonly FormField[]): Values {
  const given = fields.flatMap(({ name, default: value, type }) => {
    if (value !== undefined && value !== null) return [[name, value as FormValue] as const];
    return type === "boolean" ? [[name, false] as const] : [];
  });
  return Object.fromEntries(given);
}
