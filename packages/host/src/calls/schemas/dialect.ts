/** Detects the JSON Schema dialect of a schema. The default is 2020-12, as MCP specifies. */
import type { JsonObject } from "@plugboard/contracts";

export type Dialect = "2020-12" | "2019-09" | "draft-07";

/** Returns undefined for an unsupported dialect. */
export function dialectOf({ $schema }: JsonObject): Dialect | undefined {
  if ($schema === undefined) return "2020-12";
  return typeof $schema === "string" ? DIALECTS.get($schema.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined;
}

const DIALECTS = new Map<string, Dialect>([
  ["json-schema.org/schema", "2020-12"],
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft-07/schema", "draft-07"],
  // Draft-07 is compatible with draft-06.
  ["json-schema.org/draft-06/schema", "draft-07"],
]);
