/**
 * Checks the arguments of a call against the input schema, and its result against the output schema. Applies cheap
 * schemas in the main thread, and risky schemas in a worker thread. If a schema can't be applied, it accepts
 * everything, and the server decides.
 */
import { HostError } from "@plugboard/contracts";
import type { Json, JsonObject, Tool, Clock } from "@plugboard/contracts";
import { canonicalDigest } from "@plugboard/store";
import { CheckThread } from "./check-thread.ts";
import type { ThreadAnswer } from "./check-thread.ts";
import type { compileSchema, Validator } from "./compile-schema.ts";
import { dataCost } from "./data-cost.ts";
import type { CostLimits } from "./data-cost.ts";
import {
  MAX_DATA_CHARS,
  MAX_DATA_DEPTH,
  MAX_MAIN_THREAD_DATA_DEPTH,
  MAIN_THREAD_SCHEMA_LIMITS,
  MAX_MAIN_THREAD_WORK,
  MAX_CACHED_SCHEMAS,
} from "./check-limits.ts";
import { dropNulls } from "./drop-nulls.ts";
import { clearCheck } from "./clear-check.ts";
import type { ClearCheck } from "./clear-check.ts";
import type { CheckResult } from "./check-result.ts";
import { assessRisk } from "./assess-risk.ts";
import type { Risk } from "./assess-risk.ts";

export interface SchemaChecksOptions {
  readonly clock: Clock;
  /** The number of compiled schemas in the cache. */
  readonly cacheSize?: number;
}

/** A schema with its assessment and compiled validator. */
interface SchemaEntry {
  readonly schema: JsonObject;
  /** A digest. Equal schemas have equal keys. */
  readonly key: string;
  /** The schema for `dropNulls`, and the limits of the arguments. Undefined for a large or unusable schema. */
  readonly nullSearch?: LimitedSchema | undefined;
  /** The schema to apply in the main thread, and the limits of the data. Undefined for a risky schema. */
  readonly mainThread: LimitedSchema | undefined;
  validate?: Validator | undefined;
  isClearlyValid?: ClearCheck;
  /** The answer for all data, if the schema can't be applied. */
  unusable?: CheckResult;
}

/** A schema, and the limits of the data that it may be applied to. */
interface LimitedSchema extends CostLimits {
  readonly schema: JsonObject;
}

type Compile = typeof compileSchema;

const VALID: CheckResult = Object.freeze({ ok: true });
const NOT_AN_OBJECT_SCHEMA = unchecked("it does not describe an object");

export class SchemaChecks {
  readonly #cacheSize: number;
  readonly #clock: Clock;
  /** Started for the first check that may block. */
  #thread: CheckThread | "closed" | undefined;
  readonly #entries = new WeakMap<JsonObject, SchemaEntry>();
  /** Entries by key. The last used entry comes last. */
  readonly #cache = new Map<string, SchemaEntry>();
  /** Undefined until Ajv is loaded. */
  #compile: Compile | undefined;
  #loading: Promise<Compile> | undefined;

  constructor({ clock, cacheSize = MAX_CACHED_SCHEMAS }: SchemaChecksOptions) {
    this.#cacheSize = cacheSize;
    this.#clock = clock;
  }

  arguments({ inputSchema }: Tool, args: JsonObject): CheckResult | Promise<CheckResult> {
    const { type } = inputSchema;
    const takesObjects = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
    return takesObjects ? this.#check(inputSchema, args) : NOT_AN_OBJECT_SCHEMA;
  }

  /** Returns the arguments to check, show and send. Drops null for optional arguments that can't be null. */
  effectiveArguments({ inputSchema }: Tool, args: JsonObject): JsonObject {
    if (!hasInnerObject(args)) return args;
    const { nullSearch } = this.#entryFor(inputSchema);
    return nullSearch && dataCost(args, nullSearch) !== Infinity ? dropNulls(nullSearch.schema, args) : args;
  }

  /** Checks the structured content of a result that is not an error. */
  result({ outputSchema }: Tool, structured: Json | undefined): CheckResult | Promise<CheckResult> {
    if (!outputSchema) return VALID;
    if (structured !== undefined) return this.#check(outputSchema, structured);
    return invalid("is missing, but the tool has an output schema", "structuredContent");
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = "closed";
    if (thread instanceof CheckThread) await thread.close();
  }

  #check(schema: JsonObject, value: Json): CheckResult | Promise<CheckResult> {
    const entry = this.#entryFor(schema);
    if (entry.unusable) return entry.unusable;
    if (!entry.mainThread || dataCost(value, entry.mainThread) === Infinity) return this.#checkInThread(entry, value);
    if (entry.validate) return this.#checkInMainThread(entry, entry.validate, value);
    entry.isClearlyValid ??= clearCheck(entry.mainThread.schema);
    if (entry.isClearlyValid(value)) return VALID;
    if (!this.#compile) return this.#load().then(() => this.#check(schema, value));
    const compiled = this.#compileEntry(entry, entry.mainThread.schema, this.#compile);
    return typeof compiled === "function" ? this.#checkInMainThread(entry, compiled, value) : compiled;
  }

  #checkInMainThread(entry: SchemaEntry, validate: Validator, value: Json): CheckResult {
    try {
      const problems = validate(value);
      return problems ? { ok: false, problems } : VALID;
    } catch (thrown) {
      return (entry.unusable = unchecked(reasonOf(thrown)));
    }
  }

  async #checkInThread(entry: SchemaEntry, value: Json): Promise<CheckResult> {
    const text = stringify(value);
    if (typeof text !== "string") return text;
    if (text.length > MAX_DATA_CHARS) return unchecked(`the data is larger than ${MAX_DATA_CHARS} characters`);
    if (this.#thread === "closed") throw new HostError("HOST_CLOSED", {});
    this.#thread ??= new CheckThread(this.#clock);
    const answer = await this.#thread.check({ key: entry.key, schema: JSON.stringify(entry.schema), value: text });
    if ("problems" in answer) return answer.problems ? { ok: false, problems: answer.problems } : VALID;
    return this.#recordFailure(entry, answer);
  }

  #compileEntry(entry: SchemaEntry, schema: JsonObject, compile: Compile): CheckResult | Validator {
    this.#addToCache(entry);
    try {
      return (entry.validate ??= compile(schema));
    } catch (thrown) {
      return (entry.unusable = unchecked(reasonOf(thrown)));
    }
  }

  /** Never applies a risky schema again. A cheap schema failed only because of large data, so it is applied again. */
  #recordFailure(entry: SchemaEntry, answer: Exclude<ThreadAnswer, { problems: unknown }>): CheckResult {
    if ("unchecked" in answer) return unchecked(answer.unchecked);
    const result = unchecked(answer.unusable);
    if (!entry.mainThread) entry.unusable = result;
    return result;
  }

  #load(): Promise<Compile> {
    this.#loading ??= import("./compile-schema.ts").then(({ compileSchema }) => (this.#compile = compileSchema));
    return this.#loading;
  }

  #entryFor(schema: JsonObject): SchemaEntry {
    const existing = this.#entries.get(schema);
    if (existing) return existing;
    const entry = this.#cachedEntry(schema, assessRisk(schema));
    this.#entries.set(schema, entry);
    return entry;
  }

  #cachedEntry(schema: JsonObject, risk: Risk): SchemaEntry {
    // The schema may be too large for the digest.
    if (risk.kind === "unusable") return { schema, key: "", mainThread: undefined, unusable: unchecked(risk.reason) };
    const key = canonicalDigest(schema);
    return this.#addToCache(
      this.#cache.get(key) ?? { schema, key, nullSearch: nullSearchFor(risk.schema), mainThread: mainThreadFor(risk) },
    );
  }

  /**
   * If the cache is full, drops the validator of the least recently used entry, which is compiled again when needed.
   */
  #addToCache(entry: SchemaEntry): SchemaEntry {
    this.#cache.delete(entry.key);
    this.#cache.set(entry.key, entry);
    if (this.#cache.size <= this.#cacheSize) return entry;
    const [oldest] = this.#cache.values();
    oldest!.validate = undefined;
    this.#cache.delete(oldest!.key);
    return entry;
  }
}

/** Returns false if no argument is null, a list or an object. Then there is no null to drop. */
function hasInnerObject(args: JsonObject): boolean {
  for (const name in args) if (typeof args[name] === "object") return true;
  return false;
}

/** Returns undefined for a schema that is too large for a search in the main thread. */
function nullSearchFor(schema: JsonObject): LimitedSchema | undefined {
  if (dataCost(schema, MAIN_THREAD_SCHEMA_LIMITS) === Infinity) return undefined;
  const cost = dataCost(schema, { budget: MAX_MAIN_THREAD_WORK, depth: MAX_MAIN_THREAD_WORK, readsText: false });
  return { schema, budget: MAX_MAIN_THREAD_WORK / cost, depth: MAX_MAIN_THREAD_DATA_DEPTH, readsText: false };
}

function mainThreadFor(risk: Exclude<Risk, { kind: "unusable" }>): SchemaEntry["mainThread"] {
  if (risk.kind === "risky") return undefined;
  const { schema, weight, readsText } = risk;
  return { schema, budget: MAX_MAIN_THREAD_WORK / weight, depth: MAX_MAIN_THREAD_DATA_DEPTH, readsText };
}

function unchecked(reason: string): CheckResult {
  return { ok: true, unchecked: reason };
}

function invalid(message: string, path = ""): CheckResult {
  return { ok: false, problems: [{ path, message }] };
}

/** Returns the JSON text, or a problem if the value can't be serialized. */
function stringify(value: Json): string | CheckResult {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    return invalid(
      thrown instanceof RangeError ? `is nested more than ${MAX_DATA_DEPTH} deep` : "can't be serialized as JSON",
    );
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
