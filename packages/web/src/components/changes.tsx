/** The differences between two definitions: a line with the old value, and a line with the new one. */
import { sanitize } from "@plugboard/contracts";
import type { DefinitionChange, Json } from "@plugboard/contracts";

export function Changes({ changes }: { changes: readonly DefinitionChange[] }) {
  return (
    <div className="diff" role="group" aria-label="Changes">
      {changes.map(({ path, before, after }) => (
        <div key={path}>
          {before !== undefined && (
            <div className="diff-line diff-removed">{`− ${sanitize(path)}: ${show(before)}`}</div>
          )}
          {after !== undefined && <div className="diff-line diff-added">{`+ ${sanitize(path)}: ${show(after)}`}</div>}
          {before === undefined && after === undefined && <div className="diff-line">{sanitize(path)}</div>}
        </div>
      ))}
    </div>
  );
}

function show(value: Json): string {
  return sanitize(JSON.stringify(value));
}
