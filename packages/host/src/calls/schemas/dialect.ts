/** Which JSON Schema a schema is written in. Without a word it is 2020-12, as the protocol says. */
import type { JsonObject } from "@plugboard/contracts";

export type Dialect = "2020-12" | "2019-09" | "draft-07";

/** Nothing for a dialect that can't be applied. */
export function dialectOf({ $schema }: JsonObject): Dialect | undefined {
  if ($schema === undefined) return "2020-12";
  return typeof $schema === "string" ? DIALECTS.get($schema.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined;
}

const DIALECTS = new Map<string, Dialect>([
  ["json-schema.org/schema", "2020-12"],
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft-07/schema", "draft-07"],
  // What it has means the same in draft-07.
  ["json-schema.org/draft-06/schema", "draft-07"],
]);
