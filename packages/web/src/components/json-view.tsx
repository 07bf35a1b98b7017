/** JSON as a tree that can be folded. */
import { isJsonObject, sanitize, sanitizeLine } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";
import { markBreaks } from "../format/mark-breaks.ts";

interface JsonViewProps {
  readonly value: Json;
  readonly name?: string;
  readonly depth?: number;
  /** Shows everything at once. What is too deep for the tree is shown as text. */
  readonly unfolded?: boolean;
}

/** Deeper and longer values are folded. A server decides how large they are, so only a part of a long list is drawn. */
const OPEN_DEPTH = 3;
const MAX_DEPTH = 50;
const MAX_ITEMS = 500;
const MAX_TEXT_CHARS = 200_000;

export function JsonView({ value, name, depth = 0, unfolded = false }: JsonViewProps) {
  const key = name === undefined ? null : <span className="json-key">{sanitizeLine(name)}: </span>;
  const items = Array.isArray(value)
    ? value.map((item, index) => [String(index), item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : undefined;
  if (!items || depth > MAX_DEPTH) {
    return (
      <div className="json">
        {key}
        {items ? unfolded ? sanitize(JSON.stringify(value)) : "…" : <Scalar value={value} unfolded={unfolded} />}
      </div>
    );
  }
  const summary = Array.isArray(value) ? `[${items.length}]` : `{${items.length}}`;
  if (items.length === 0) {
    return (
      <div className="json">
        {key}
        {Array.isArray(value) ? "[]" : "{}"}
      </div>
    );
  }
  return (
    <div className="json">
      <details open={unfolded || (depth < OPEN_DEPTH && items.length <= 50)}>
        <summary>
          {key}
          <span className="muted">{summary}</span>
        </summary>
        {items.slice(0, unfolded ? items.length : MAX_ITEMS).map(([itemName, item]) => (
          <JsonView key={itemName} name={itemName} value={item as Json} depth={depth + 1} unfolded={unfolded} />
        ))}
        {!unfolded && items.length > MAX_ITEMS && <div className="muted">… and {items.length - MAX_ITEMS} more</div>}
      </details>
    </div>
  );
}

function Scalar({ value, unfolded }: { value: Json; unfolded: boolean }) {
  if (typeof value !== "string") return <span className="json-number">{JSON.stringify(value)}</span>;
  if (unfolded || value.length <= MAX_TEXT_CHARS) return <span className="json-string">"{markBreaks(value)}"</span>;
  return (
    <>
      <span className="json-string">"{markBreaks(value.slice(0, MAX_TEXT_CHARS))}</span>
      <span className="muted">… and {(value.length - MAX_TEXT_CHARS).toLocaleString("en")} more characters</span>
    </>
  );
}
