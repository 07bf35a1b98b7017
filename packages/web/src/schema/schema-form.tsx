/** A form for a JSON Schema: nested objects, lists, choices and alternatives. What it can't show is edited as JSON. */
import { useState } from "react";
import { isJsonObject, sanitize, sanitizeLine } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { Button } from "../components/button.tsx";
import { Check, Field, Select, TextArea, TextInput } from "../components/field.tsx";
import { alternativesOf, fieldKind, initialValue, propertiesOf, resolveSchema } from "./resolve-schema.ts";
import { schemaText } from "./signature.ts";

interface SchemaFieldProps {
  readonly schema: JsonObject;
  readonly root: JsonObject;
  readonly name: string;
  readonly required: boolean;
  /** Undefined if the value is absent. */
  readonly value: Json | undefined;
  readonly onValue: (value: Json | undefined) => void;
  readonly depth?: number;
}

/** Deeper parts of a schema are edited as JSON. */
const MAX_DEPTH = 6;

/** The fields of an object schema, without a frame. */
export function SchemaForm({
  schema,
  value,
  onValue,
}: {
  schema: JsonObject;
  value: JsonObject;
  onValue: (value: JsonObject) => void;
}) {
  const properties = propertiesOf(resolveSchema(schema, schema), schema);
  if (properties.length === 0) return <p className="muted">This tool needs no arguments.</p>;
  return <ObjectFields schema={schema} root={schema} value={value} onValue={onValue} depth={0} />;
}

function ObjectFields({
  schema,
  root,
  value,
  onValue,
  depth,
}: {
  schema: JsonObject;
  root: JsonObject;
  value: JsonObject;
  onValue: (value: JsonObject) => void;
  depth: number;
}) {
  return propertiesOf(resolveSchema(schema, root), root).map((property) => (
    <SchemaField
      key={property.name}
      {...property}
      root={root}
      value={value[property.name]}
      onValue={(changed) => onValue(withKey(value, property.name, changed))}
      depth={depth}
    />
  ));
}

function withKey(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  const { [key]: _, ...others } = object;
  return value === undefined ? others : { ...object, [key]: value };
}

function SchemaField(props: SchemaFieldProps) {
  const { schema, root, name, required, value, onValue, depth = 0 } = props;
  const kind = depth > MAX_DEPTH ? "json" : fieldKind(schema);
  const label = <code>{sanitizeLine(name)}</code>;
  const title = typeof schema["description"] === "string" ? schema["description"] : undefined;
  const hint = title === undefined ? <code>{sanitize(schemaText(schema, root))}</code> : sanitize(title);
  const common = { label, hint, required };
  switch (kind) {
    case "string":
      return <Field {...common}>{(attributes) => <StringControl attributes={attributes} {...props} />}</Field>;
    case "number":
    case "integer":
      return (
        <Field {...common}>
          {(attributes) => (
            <TextInput
              {...attributes}
              type="number"
              step={kind === "integer" ? 1 : "any"}
              value={typeof value === "number" ? String(value) : ""}
              onValue={(text) => onValue(text === "" ? undefined : Number(text))}
            />
          )}
        </Field>
      );
    case "boolean":
      return (
        <Field {...common}>
          {(attributes) => (
            <Select
              {...attributes}
              value={typeof value === "boolean" ? String(value) : ""}
              onValue={(text) => onValue(text === "" ? undefined : text === "true")}
              choices={[
                { value: "", label: required ? "Choose…" : "Not set" },
                { value: "true", label: "true" },
                { value: "false", label: "false" },
              ]}
            />
          )}
        </Field>
      );
    case "enum":
      return <EnumField {...props} common={common} />;
    case "const":
      return (
        <Check checked={value !== undefined} onChecked={(checked) => onValue(checked ? schema["const"] : undefined)}>
          {label} = <code>{sanitize(JSON.stringify(schema["const"]))}</code>
        </Check>
      );
    case "object":
      return (
        <fieldset className="stack-tight">
          <legend>
            {label}
            {required && <span className="field-required"> *</span>}{" "}
            {title !== undefined && <span className="small muted">{hint}</span>}
          </legend>
          <div className="fieldset">
            <ObjectFields
              schema={schema}
              root={root}
              value={isJsonObject(value) ? value : {}}
              onValue={(changed) => onValue(!required && Object.keys(changed).length === 0 ? undefined : changed)}
              depth={depth + 1}
            />
          </div>
        </fieldset>
      );
    case "array":
      return <ArrayField {...props} />;
    case "alternatives":
      return <AlternativesField {...props} />;
    case "json":
      return <JsonField {...common} value={value} onValue={onValue} />;
  }
}

function StringControl({
  schema,
  value,
  onValue,
  required,
  attributes,
}: SchemaFieldProps & { readonly attributes: object }) {
  const text = typeof value === "string" ? value : "";
  const change = (changed: string) => onValue(changed === "" && !required ? undefined : changed);
  const isLong = text.includes("\n") || text.length > 80 || schema["contentMediaType"] !== undefined;
  const types: { readonly [format: string]: string } = { date: "date", email: "email", uri: "url" };
  const type = (typeof schema["format"] === "string" ? types[schema["format"]] : undefined) ?? "text";
  return isLong ? (
    <TextArea {...attributes} value={text} onValue={change} />
  ) : (
    <TextInput {...attributes} type={type} value={text} onValue={change} />
  );
}

function EnumField({
  schema,
  value,
  onValue,
  required,
  common,
}: SchemaFieldProps & { readonly common: { label: React.ReactNode; hint: React.ReactNode; required: boolean } }) {
  const values = schema["enum"] as readonly Json[];
  const index = values.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
  const choices = values.map((one, position) => ({
    value: String(position),
    label: sanitizeLine(typeof one === "string" ? one : JSON.stringify(one)),
  }));
  return (
    <Field {...common}>
      {(attributes) => (
        <Select
          {...attributes}
          value={index < 0 ? "" : String(index)}
          onValue={(text) => onValue(text === "" ? undefined : values[Number(text)])}
          choices={[{ value: "", label: required ? "Choose…" : "Not set" }, ...choices]}
        />
      )}
    </Field>
  );
}

function ArrayField({ schema, root, name, required, value, onValue, depth = 0 }: SchemaFieldProps) {
  const items = Array.isArray(value) ? value : [];
  const itemSchema = resolveSchema(schema["items"], root);
  const change = (changed: readonly Json[]) => onValue(changed.length === 0 && !required ? undefined : [...changed]);
  return (
    <fieldset className="stack-tight">
      <legend>
        <code>{sanitizeLine(name)}</code>
        {required && <span className="field-required"> *</span>}{" "}
        {typeof schema["description"] === "string" && (
          <span className="small muted">{sanitize(schema["description"])}</span>
        )}
      </legend>
      <div className="fieldset">
        {items.map((item, index) => (
          // Items have no identity but their place.
          <div key={index} className="row">
            <div className="grow">
              <SchemaField
                schema={itemSchema}
                root={root}
                name={`${name}[${index}]`}
                required
                value={item}
                onValue={(changed) => change(items.with(index, changed ?? ""))}
                depth={depth + 1}
              />
            </div>
            <Button
              kind="quiet"
              small
              aria-label={`Remove ${name} ${index + 1}`}
              onClick={() => change(items.toSpliced(index, 1))}
            >
              Remove
            </Button>
          </div>
        ))}
        <div>
          <Button small onClick={() => change([...items, initialValue(itemSchema, root) ?? emptyOf(itemSchema)])}>
            Add to {sanitizeLine(name)}
          </Button>
        </div>
      </div>
    </fieldset>
  );
}

function emptyOf(schema: JsonObject): Json {
  const kind = fieldKind(schema);
  if (kind === "object") return {};
  if (kind === "array") return [];
  if (kind === "number" || kind === "integer") return 0;
  if (kind === "boolean") return false;
  return kind === "json" ? null : "";
}

function AlternativesField({ schema, root, name, required, value, onValue, depth = 0 }: SchemaFieldProps) {
  const alternatives = alternativesOf(schema).map((one) => resolveSchema(one, root));
  const [chosen, setChosen] = useState(0);
  const inner = alternatives[chosen] ?? {};
  const labelOf = (one: JsonObject) =>
    sanitizeLine(typeof one["title"] === "string" ? one["title"] : schemaText(one, root));
  const choose = (text: string) => {
    setChosen(Number(text));
    onValue(initialValue(alternatives[Number(text)], root));
  };
  return (
    <fieldset className="stack-tight">
      <legend>
        <code>{sanitizeLine(name)}</code>
        {required && <span className="field-required"> *</span>}
      </legend>
      <div className="fieldset">
        <Select
          aria-label={`Form of ${name}`}
          value={String(chosen)}
          onValue={choose}
          choices={alternatives.map((one, index) => ({ value: String(index), label: labelOf(one) }))}
        />
        <SchemaField
          schema={inner}
          root={root}
          name={name}
          required={required}
          value={value}
          onValue={onValue}
          depth={depth + 1}
        />
      </div>
    </fieldset>
  );
}

function JsonField({
  value,
  onValue,
  ...common
}: {
  label: React.ReactNode;
  hint: React.ReactNode;
  required: boolean;
  value: Json | undefined;
  onValue: (value: Json | undefined) => void;
}) {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [error, setError] = useState<string>();
  const change = (changed: string) => {
    setText(changed);
    const parsed = parseJson(changed);
    setError(parsed.error);
    if (parsed.error === undefined) onValue(parsed.value);
  };
  return (
    <Field {...common} error={error}>
      {(attributes) => <TextArea {...attributes} code placeholder="JSON" value={text} onValue={change} />}
    </Field>
  );
}

/** An empty text is an absent value. */
export function parseJson(text: string): { readonly value?: Json; readonly error?: string } {
  if (text.trim() === "") return {};
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { error: `This is not valid JSON: ${(error as Error).message}` };
  }
}
