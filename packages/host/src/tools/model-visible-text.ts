/**
 * Lists every text of a tool that a model can read, so that a person can review it first. Gives the path of each text
 * and makes hidden characters visible. Every text is listed in full.
 */
import { sanitize } from "@plugboard/contracts";
import type { Json, OfferedTool } from "@plugboard/contracts";
import { originLabel } from "./provider-tool-formats.ts";
import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS, VALUE_KEYWORDS } from "./schema-keywords.ts";

export interface VisibleText {
  /** A path such as `inputSchema.properties.path.description`. */
  readonly path: string;
  readonly text: string;
}

type VisibleTool = Omit<OfferedTool, "pin" | "version">;

interface PendingValue {
  readonly value: unknown;
  readonly path: string;
  /** True if the keys of the value are names that the server chose, not JSON Schema keywords. */
  readonly keysAreNames: boolean;
}

const MAX_PATH_CHARS = 200;

export function modelVisibleText(tool: VisibleTool): VisibleText[] {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const own = { name, tool: tool.tool, origin: originLabel(tool), title, description };
  const texts = Object.entries(own).flatMap(([path, text]) => (text ? [{ path, text: sanitize(text) }] : []));
  return [
    ...texts,
    ...collectTexts("inputSchema", inputSchema),
    ...collectTexts("outputSchema", outputSchema),
    ...collectTexts("annotations", annotations),
  ];
}

/** Does not recurse, because a server may nest a schema at any depth. */
function collectTexts(path: string, value: unknown): VisibleText[] {
  const texts: VisibleText[] = [];
  const stack: PendingValue[] = [{ value, path, keysAreNames: false }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value: parent, path, keysAreNames } = next;
    if (typeof parent === "string") texts.push({ path, text: sanitize(parent) });
    if (typeof parent !== "object" || parent === null) continue;
    const inner = Object.entries(parent as { [key: string]: Json }).map(([key, value]) => {
      const innerPath = appendKey(path, key);
      if (!Array.isArray(parent) && (keysAreNames || !isKeyword(key)))
        texts.push({ path: innerPath, text: sanitize(key) });
      return { value, path: innerPath, keysAreNames: SCHEMA_MAP_KEYWORDS.has(key) };
    });
    // A stack reverses the order.
    for (const item of inner.toReversed()) stack.push(item);
  }
  return texts;
}

function appendKey(path: string, key: string): string {
  const whole = `${path}.${sanitize(key.slice(0, MAX_PATH_CHARS))}`;
  return whole.length > MAX_PATH_CHARS ? `…${whole.slice(-MAX_PATH_CHARS)}` : whole;
}

/**
 * Returns whether the key is a JSON Schema keyword. Keywords are not listed, because the server does not choose them.
 */
function isKeyword(key: string): boolean {
  return [SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS, VALUE_KEYWORDS].some((keywords) =>
    keywords.has(key),
  );
}
