/** The types of single values in the sections of a config file: how each is checked, and its JSON Schema. */
import { isJsonObject, parseUrl } from "@plugboard/contracts";
import type { EntryValue, JsonObject } from "@plugboard/contracts";
import { validateEntryValue } from "../definition/secret-reference.ts";
import { parseRuleOrError } from "../rules/rule.ts";

/** The TypeScript type of each value after validation. */
export interface SectionValueTypes {
  readonly https_url: string;
  readonly web_url: string;
  /** A text or a list of texts. */
  readonly texts: readonly string[];
  /** A profile, or `*`, for each scope. */
  readonly scopes: { readonly [scope: string]: string };
  readonly scope: string;
  readonly count: number;
  readonly amount: number;
  readonly model_id: string;
  readonly value: EntryValue;
  readonly server_ids: readonly string[];
  readonly tool_patterns: readonly string[];
  readonly rules: readonly string[];
  readonly profile_naming: "{server}__{tool}" | "{tool}";
  readonly folder: string;
  readonly result_size: number;
}

interface ValueType {
  readonly schema: JsonObject;
  /** Returns what is wrong, such as "must be a scope". For a list, checks only that it is a list. */
  readonly explain: (value: unknown) => string | undefined;
  /** Returns what is wrong with an item of a list. */
  readonly explainItem?: (item: unknown) => string | undefined;
}

/** The characters that OAuth allows in a scope. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const PROFILE = /^(\*|[a-zA-Z0-9_-]{1,64})$/;
const SERVER_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const TOOL_PATTERN = /^([a-zA-Z0-9_*-]+:[^()\s]+|\*)$/;
const MODEL_ID = /^[^/\s]+\/\S+$/;
const FOLDER = /^(\/|~\/|~$|[A-Za-z]:[\\/])/;
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
/** A smaller limit would leave no space for the note at the cut. */
const MIN_RESULT_BYTES = 1000;
const PROFILE_NAMINGS: readonly SectionValueTypes["profile_naming"][] = ["{server}__{tool}", "{tool}"];
const WEB_URL = { type: "string", pattern: "^https?://" };
const RULE_SCHEMA: JsonObject = { type: "string", pattern: "^(\\*|[a-zA-Z0-9_*-]+:.+)$" };

export const VALUE_TYPES: { readonly [Type in keyof SectionValueTypes]: ValueType } = {
  https_url: { schema: WEB_URL, explain: mustBe("an https URL (http only on this machine)", isSafeUrl) },
  web_url: { schema: WEB_URL, explain: mustBe("a URL that begins with https or http", isWebUrl) },
  texts: {
    schema: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" }, minItems: 1 }] },
    explain: mustBe("a text or a list of texts", (value) => {
      const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
      return texts.length > 0 && texts.every(isText);
    }),
  },
  scopes: {
    schema: {
      type: "object",
      minProperties: 1,
      additionalProperties: { type: "string", pattern: PROFILE.source },
    },
    explain: mustBe('an object with a profile, or "*", for each scope', (value) => {
      const profiles = isJsonObject(value) ? Object.entries(value) : [];
      return (
        profiles.length > 0 && profiles.every(([scope, profile]) => SCOPE.test(scope) && matches(PROFILE, profile))
      );
    }),
  },
  scope: { schema: { type: "string" }, explain: mustBe("a scope", (value) => matches(SCOPE, value)) },
  count: { schema: { type: "integer", minimum: 1 }, explain: mustBe("a positive whole number", isAtLeast(1)) },
  amount: {
    schema: { type: "number", minimum: 0 },
    explain: mustBe("a number of at least 0", (value) => typeof value === "number" && value >= 0),
  },
  model_id: {
    schema: { type: "string", pattern: MODEL_ID.source },
    explain: mustBe('a text such as "anthropic/claude-opus-4-5"', (value) => matches(MODEL_ID, value)),
  },
  value: { schema: { $ref: "#/definitions/value" }, explain: validateEntryValue },
  server_ids: listOf("a list of server ids", { type: "string", pattern: SERVER_ID.source }, (item) =>
    matches(SERVER_ID, item) ? undefined : "is not a server id",
  ),
  tool_patterns: listOf('a list of "server:tool", with * for any part', RULE_SCHEMA, (item) =>
    matches(TOOL_PATTERN, item) ? undefined : 'is not of the form "server:tool"',
  ),
  rules: listOf("a list of rules", RULE_SCHEMA, (item) => {
    const rule = typeof item === "string" ? parseRuleOrError("ask", item) : { error: "it must be a string" };
    return "error" in rule ? `is not a rule: ${rule.error}` : undefined;
  }),
  profile_naming: {
    schema: { enum: [...PROFILE_NAMINGS] },
    explain: mustBe(PROFILE_NAMINGS.map((naming) => `"${naming}"`).join(" or "), (value) =>
      PROFILE_NAMINGS.some((naming) => naming === value),
    ),
  },
  folder: {
    schema: { type: "string", pattern: FOLDER.source },
    explain: mustBe(
      "an absolute path, or a path that begins with ~/",
      (value) => matches(FOLDER, value) && !value.includes("\0"),
    ),
  },
  result_size: {
    schema: { type: "integer", minimum: MIN_RESULT_BYTES },
    explain: mustBe(`a whole number of at least ${MIN_RESULT_BYTES}`, isAtLeast(MIN_RESULT_BYTES)),
  },
};

function mustBe(description: string, test: (value: unknown) => boolean): ValueType["explain"] {
  return (value) => (test(value) ? undefined : `must be ${description}`);
}

function listOf(description: string, items: JsonObject, explainItem: NonNullable<ValueType["explainItem"]>): ValueType {
  return { schema: { type: "array", items }, explain: mustBe(description, Array.isArray), explainItem };
}

function isAtLeast(minimum: number): (value: unknown) => boolean {
  return (value) => Number.isSafeInteger(value) && Number(value) >= minimum;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function matches(pattern: RegExp, value: unknown): value is string {
  return typeof value === "string" && pattern.test(value);
}

function isWebUrl(value: unknown): boolean {
  const url = typeof value === "string" ? parseUrl(value) : undefined;
  return (url?.protocol === "https:" || url?.protocol === "http:") && url.username === "" && url.hash === "";
}

function isSafeUrl(value: unknown): boolean {
  const url = isText(value) && isWebUrl(value) ? parseUrl(value) : undefined;
  return url !== undefined && (url.protocol === "https:" || LOOPBACK.includes(url.hostname));
}
