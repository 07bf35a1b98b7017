/** Warns about characters of a tool that models read and people can't see. */
import { useMemo } from "react";
import { isJsonObject, sanitize } from "@plugboard/contracts";
import type { Json, JsonObject, OfferedTool } from "@plugboard/contracts";
import { Notice } from "../../components/layout.tsx";

export function HiddenCharacters({ tool: { tool, title = "", description, inputSchema } }: { tool: OfferedTool }) {
  const hides = useMemo(() => {
    // JSON escapes some characters, so names and texts of the schema are read from the parsed values.
    const texts = [tool, title, description, ...textsIn(inputSchema)];
    return texts.some((text) => sanitize(text) !== text);
  }, [tool, title, description, inputSchema]);
  if (!hides) return null;
  return (
    <Notice tone="warn">
      The texts of this tool contain characters that are not visible. They are shown here as <code>{"<U+…>"}</code>, and
      a model reads them. Servers hide instructions in this way.
    </Notice>
  );
}

const MAX_TEXTS = 5000;

/** Returns the names and texts of a schema. A server decides how large it is. */
function textsIn(schema: JsonObject): string[] {
  const texts: string[] = [];
  const pending: Json[] = [schema];
  while (pending.length > 0 && texts.length < MAX_TEXTS) {
    const value = pending.pop()!;
    if (typeof value === "string") texts.push(value);
    else if (Array.isArray(value)) pending.push(...value.slice(0, MAX_TEXTS));
    else if (isJsonObject(value)) {
      texts.push(...Object.keys(value));
      pending.push(...(Object.values(value) as Json[]));
    }
  }
  return texts;
}
