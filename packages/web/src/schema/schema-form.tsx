/** A form for a JSON Schema: nested objects, lists, choices and alternatives. What it can't show is edited as JSON. */
import { createContext, useContext, useMemo, useState } from "react";
import type { ReactNode } from "react";
import { isJsonObject, sanitize, sanitizeLine, alternativesOf, resolveSchema, renderType } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { Button } from "../components/button.tsx";
import { Select } from "../components/field.tsx";
import { MISSING_TEXT } from "../hooks/use-missing-fields.ts";
import { emptyValue, fieldKind, formDepth, initialValue, matchingAlternative, propertiesOf } from "./form-fields.ts";
import { ConstField, EnumField, JsonField, NumberField, StringField } from "./scalar-fields.tsx";
import type { ScalarFieldProps } from "./scalar-fields.tsx";

interface SchemaFieldProps extends Omit<ScalarFieldProps, "label" | "hint"> {
  readonly root: JsonObject;
  readonly name: string;
  readonly depth: number;
  /** True for an item of a list, whose type the list has shown. */
  readonly isItem?: boolean;
}

/**
 * Deeper parts of a schema are edited as JSON. A server decides how large a schema is, so the fields are limited, too.
 */
const MAX_DEPTH = 6;
const MAX_FIELDS = 500;
const DepthContext = createContext(MAX_DEPTH);

/** The fields of an object schema, without a frame. */
export function SchemaForm({
  schema,
  value,
  onValue,
  missing,
}: {
  schema: JsonObject;
  value: JsonObject;
  onValue: (value: JsonObject) => void;
  /** The names of the fields that are marked as missing. */
  missing: readonly string[];
}) {
  const maxDepth = useMemo(() => formDepth(schema, { maxDepth: MAX_DEPTH, maxFields: MAX_FIELDS }), [schema]);
  const properties = propertiesOf(resolveSchema(schema, schema), schema);
  if (properties.length === 0) return <p className="muted">This tool needs no arguments.</p>;
  return (
    <DepthContext value={maxDepth}>
      <ObjectFields schema={schema} root={schema} value={value} onValue={onValue} depth={0} missing={missing} />
    </DepthContext>
  );
}

/** Returns the required fields without a value. An empty text counts as none, unless it is the default. */
export function missingFields(schema: JsonObject, value: JsonObject): string[] {
  return propertiesOf(resolveSchema(schema, schema), schema)
    .filter(({ required }) => required)
    .filter(({ name, schema: { default: initial, ...field } }) => {
      const isEmptyText = value[name] === "" && fieldKind(field) === "string" && initial !== "";
      return value[name] === undefined || isEmptyText;
    })
    .map(({ name }) => name);
}

function SchemaField(props: SchemaFieldProps) {
  const { schema, root, name, required, value, onValue, depth, error, isItem = false } = props;
  const maxDepth = useContext(DepthContext);
  const label = <code>{sanitizeLine(name)}</code>;
  const description = descriptionOf(schema);
  const hint = description ?? (isItem ? undefined : <code>{sanitize(renderType(schema, root))}</code>);
  const field = { schema, label, hint, required, value, onValue, error };
  switch (depth > maxDepth ? "json" : fieldKind(schema)) {
    case "string":
      return <StringField {...field} />;
    case "number":
    case "integer":
      return <NumberField {...field} />;
    case "boolean":
      return <EnumField {...field} values={[true, false]} />;
    case "enum":
      return <EnumField {...field} values={schema["enum"] as readonly Json[]} />;
    case "const":
      return <ConstField {...field} />;
    case "json":
      return <JsonField {...field} />;
    case "object":
      return (
        <Group {...props}>
          <ObjectFields
            schema={schema}
            root={root}
            value={isJsonObject(value) ? value : {}}
            onValue={(changed) => onValue(!required && Object.keys(changed).length === 0 ? undefined : changed)}
            depth={depth + 1}
          />
        </Group>
      );
    case "array":
      return (
        <Group {...props}>
          <ArrayItems {...props} />
        </Group>
      );
    case "alternatives":
      return (
        <Group {...props}>
          <Alternatives {...props} />
        </Group>
      );
  }
}

/** The frame of a value that has fields of its own. */
function Group({ schema, name, required, error, children }: SchemaFieldProps & { readonly children: ReactNode }) {
  return (
    <fieldset className="group" data-invalid={error}>
      <legend>
        <code>{sanitizeLine(name)}</code>
        {required && <span className="field-required"> *</span>}{" "}
        <span className="small muted">{descriptionOf(schema)}</span>
      </legend>
      <div className="fieldset">{children}</div>
      {error !== undefined && <div className="field-required small">{error}</div>}
    </fieldset>
  );
}

function ObjectFields({
  schema,
  root,
  value,
  onValue,
  depth,
  missing = [],
}: Pick<SchemaFieldProps, "schema" | "root" | "depth"> & {
  readonly missing?: readonly string[];
  readonly value: JsonObject;
  readonly onValue: (value: JsonObject) => void;
}) {
  return propertiesOf(resolveSchema(schema, root), root).map((property) => (
    <SchemaField
      key={property.name}
      {...property}
      root={root}
      value={value[property.name]}
      onValue={(changed) => onValue(withKey(value, property.name, changed))}
      depth={depth}
      error={missing.includes(property.name) ? MISSING_TEXT : undefined}
    />
  ));
}

function ArrayItems({ schema, root, name, required, value, onValue, depth }: SchemaFieldProps) {
  const items = Array.isArray(value) ? value : [];
  const itemSchema = resolveSchema(schema["items"], root);
  const change = (changed: readonly Json[]) => onValue(changed.length === 0 && !required ? undefined : [...changed]);
  return (
    <>
      {items.map((item, index) => (
        // Items have no identity but their place.
        <div key={index} className="array-item">
          <div className="grow">
            <SchemaField
              schema={itemSchema}
              root={root}
              name={`${name}[${index}]`}
              required
              value={item}
              onValue={(changed) => change(items.with(index, changed ?? ""))}
              depth={depth + 1}
              isItem
            />
          </div>
          <Button
            kind="quiet"
            aria-label={`Remove ${sanitizeLine(name)} ${index + 1}`}
            onClick={() => change(items.toSpliced(index, 1))}
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button
          small
          className="button-long"
          onClick={() => change([...items, initialValue(itemSchema, root) ?? emptyValue(itemSchema)])}
        >
          Add to {sanitizeLine(name)}
        </Button>
      </div>
    </>
  );
}

function Alternatives({ schema, root, name, required, value, onValue, depth }: SchemaFieldProps) {
  const alternatives = alternativesOf(schema).map((one) => resolveSchema(one, root));
  const [chosen, setChosen] = useState(() => matchingAlternative(alternatives, value));
  const labelOf = (one: JsonObject) =>
    sanitizeLine(typeof one["title"] === "string" ? one["title"] : renderType(one, root));
  const choose = (text: string) => {
    setChosen(Number(text));
    onValue(initialValue(alternatives[Number(text)], root));
  };
  return (
    <>
      <Select
        aria-label={`Form of ${sanitizeLine(name)}`}
        value={String(chosen)}
        onValue={choose}
        choices={alternatives.map((one, index) => ({ value: String(index), label: labelOf(one) }))}
      />
      <SchemaField
        key={chosen}
        schema={alternatives[chosen] ?? {}}
        root={root}
        name={name}
        required={required}
        value={value}
        onValue={onValue}
        depth={depth + 1}
      />
    </>
  );
}

function withKey(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  const { [key]: _, ...others } = object;
  return value === undefined ? others : { ...object, [key]: value };
}

function descriptionOf(schema: JsonObject): string | undefined {
  return typeof schema["description"] === "string" ? sanitize(schema["description"]) : undefined;
}
