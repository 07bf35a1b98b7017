/**
 * Everything that a model, here or behind a front, can read of a tool, for a
 * person to read first: each text with the place where it stands, and with
 * hidden characters made visible. Nothing is left out and nothing is cut.
 */
import { sanitise } from "@plugboard/contracts";
import type { Json, OfferedTool } from "@plugboard/contracts";
import { originOf } from "./definitions.ts";
import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS, VALUE_KEYWORDS } from "./schema-keywords.ts";

export interface SeenText {
  /** Such as `inputSchema.properties.path.description`. */
  readonly path: string;
  readonly text: string;
}

type SeenTool = Omit<OfferedTool, "pin" | "version">;

interface Place {
  readonly value: unknown;
  readonly path: string;
  /** Whether its keys are names rather than keywords. */
  readonly named: boolean;
}

const MAX_PATH = 200;

export function everythingSeen(tool: SeenTool): SeenText[] {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const own = { name, tool: tool.tool, origin: originOf(tool), title, description };
  const seen = Object.entries(own).flatMap(([path, text]) => (text ? [{ path, text: sanitise(text) }] : []));
  return [
    ...seen,
    ...textsIn("inputSchema", inputSchema),
    ...textsIn("outputSchema", outputSchema),
    ...textsIn("annotations", annotations),
  ];
}

/** Not by recursion: a schema is as deep as its server likes. */
function textsIn(path: string, value: unknown): SeenText[] {
  const seen: SeenText[] = [];
  const waiting: Place[] = [{ value, path, named: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path, named } = next;
    if (typeof value === "string") seen.push({ path, text: sanitise(value) });
    if (typeof value !== "object" || value === null) continue;
    const inner = Object.entries(value as { [key: string]: Json }).map(([key, value]) => {
      const place = below(path, key);
      if (!Array.isArray(next.value) && (named || !isKeyword(key))) seen.push({ path: place, text: sanitise(key) });
      return { value, path: place, named: SCHEMA_MAP_KEYWORDS.has(key) };
    });
    // The first is to come out first.
    for (const place of inner.toReversed()) waiting.push(place);
  }
  return seen;
}

function below(path: string, key: string): string {
  const whole = `${path}.${sanitise(key.slice(0, MAX_PATH))}`;
  return whole.length > MAX_PATH ? `…${whole.slice(-MAX_PATH)}` : whole;
}

/** The vocabulary of schemas is the same in all tools: its words say nothing. */
function isKeyword(key: string): boolean {
  return [SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS, VALUE_KEYWORDS].some((known) => known.has(key));
}
