/**
 * Whether the arguments of a call fit the tool's schema, and its result the
 * schema it promised. A schema that can't be applied permits everything: the
 * server is the judge then. Cheap schemas are applied at once, risky ones in a
 * thread, and no schema can hold up more than its own tool.
 */
import type { Json, JsonObject, Tool } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";
import { canonicalDigest } from "../../canonical-digest.ts";
import { CheckThread } from "./check-thread.ts";
import type { ThreadAnswer } from "./check-thread.ts";
import type { compile, Validator } from "./compile.ts";
import { costOf } from "./data-cost.ts";
import type { CostLimits } from "./data-cost.ts";
import { DATA_CHARS, DATA_DEPTH, INLINE_DEPTH, INLINE_SCHEMA, INLINE_WORK, KEPT_SCHEMAS } from "./limits.ts";
import { dropNulls } from "./drop-nulls.ts";
import type { Verdict } from "./problem.ts";
import { assess } from "./risk.ts";
import type { Risk } from "./risk.ts";

export interface SchemaChecksOptions {
  readonly clock: Clock;
  /** How many schemas are kept compiled. */
  readonly kept?: number;
}

/** What is known of a schema. */
interface Check {
  readonly schema: JsonObject;
  /** The same for equal schemas, whichever listing they came with. */
  readonly key: string;
  /** The schema with inlined references, and the data to search for nulls. Undefined for a large or unusable schema. */
  readonly plain?: LimitedSchema | undefined;
  /** The schema to apply in this thread, and the data it may be applied to. Undefined for a risky schema. */
  readonly inline: LimitedSchema | undefined;
  validate?: Validator | undefined;
  /** The answer for all data, if the schema can't be applied. */
  unusable?: Verdict;
}

interface LimitedSchema extends CostLimits {
  readonly schema: JsonObject;
}

type Compile = typeof compile;

const FINE: Verdict = Object.freeze({ ok: true });
const NO_OBJECT = unchecked("it does not describe an object");

export class SchemaChecks {
  readonly #maxKept: number;
  readonly #thread: CheckThread;
  readonly #checks = new WeakMap<JsonObject, Check>();
  /** The last that were compiled come last, by their keys. */
  readonly #kept = new Map<string, Check>();
  /** Once it is loaded. */
  #compile: Compile | undefined;
  #loading: Promise<Compile> | undefined;

  constructor({ clock, kept = KEPT_SCHEMAS }: SchemaChecksOptions) {
    this.#maxKept = kept;
    this.#thread = new CheckThread(clock);
  }

  arguments({ inputSchema }: Tool, args: JsonObject): Verdict | Promise<Verdict> {
    const { type } = inputSchema;
    const takesObjects = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
    return takesObjects ? this.#verdict(inputSchema, args) : NO_OBJECT;
  }

  /** Returns the arguments to check, show and send. Drops null for optional arguments that can't be null. */
  effectiveArguments({ inputSchema }: Tool, args: JsonObject): JsonObject {
    const { plain } = this.#checkOf(inputSchema);
    return plain && costOf(args, plain) !== Infinity ? dropNulls(plain.schema, args) : args;
  }

  /** For results that are no errors. */
  result({ outputSchema }: Tool, structured: Json | undefined): Verdict | Promise<Verdict> {
    if (!outputSchema) return FINE;
    if (structured !== undefined) return this.#verdict(outputSchema, structured);
    return refused("is missing, though the tool has a schema for it", "structuredContent");
  }

  /** Loads and compiles what a call of the tool will need, while its server starts. */
  prepare({ inputSchema, outputSchema }: Tool): void {
    for (const schema of outputSchema ? [inputSchema, outputSchema] : [inputSchema]) {
      // What fails here fails again, and is told, when the schema is needed.
      this.#prepare(this.#checkOf(schema)).catch(() => {});
    }
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  #verdict(schema: JsonObject, value: Json): Verdict | Promise<Verdict> {
    const check = this.#checkOf(schema);
    if (check.unusable) return check.unusable;
    if (!check.inline || costOf(value, check.inline) === Infinity) return this.#inThread(check, value);
    if (check.validate) return this.#atOnce(check, check.validate, value);
    if (!this.#compile) return this.#load().then(() => this.#verdict(schema, value));
    const compiled = this.#compiled(check, check.inline.schema, this.#compile);
    return typeof compiled === "function" ? this.#atOnce(check, compiled, value) : compiled;
  }

  #atOnce(check: Check, validate: Validator, value: Json): Verdict {
    try {
      const problems = validate(value);
      return problems ? { ok: false, problems } : FINE;
    } catch (thrown) {
      return (check.unusable = unchecked(reasonOf(thrown)));
    }
  }

  async #inThread(check: Check, value: Json): Promise<Verdict> {
    const text = write(value);
    if (typeof text !== "string") return text;
    if (text.length > DATA_CHARS) return unchecked(`the data is larger than ${DATA_CHARS} characters`);
    const answer = await this.#thread.check({ key: check.key, schema: JSON.stringify(check.schema), value: text });
    if ("problems" in answer) return answer.problems ? { ok: false, problems: answer.problems } : FINE;
    return this.#remember(check, answer);
  }

  async #prepare(check: Check): Promise<void> {
    if (check.unusable || check.validate) return;
    if (!check.inline) {
      const answer = await this.#thread.check({ key: check.key, schema: JSON.stringify(check.schema) });
      if (!("problems" in answer)) this.#remember(check, answer);
      return;
    }
    this.#compiled(check, check.inline.schema, await this.#load());
  }

  #compiled(check: Check, schema: JsonObject, compile: Compile): Verdict | Validator {
    this.#keep(check);
    try {
      return (check.validate ??= compile(schema));
    } catch (thrown) {
      return (check.unusable = unchecked(reasonOf(thrown)));
    }
  }

  /** A cheap schema is not to blame for data that is too much for the thread. */
  #remember(check: Check, answer: Exclude<ThreadAnswer, { problems: unknown }>): Verdict {
    if ("unchecked" in answer) return unchecked(answer.unchecked);
    const verdict = unchecked(answer.unusable);
    if (!check.inline) check.unusable = verdict;
    return verdict;
  }

  #load(): Promise<Compile> {
    this.#loading ??= import("./compile.ts").then(({ compile }) => (this.#compile = compile));
    return this.#loading;
  }

  #checkOf(schema: JsonObject): Check {
    const known = this.#checks.get(schema);
    if (known) return known;
    const check = this.#equalCheck(schema, assess(schema));
    this.#checks.set(schema, check);
    return check;
  }

  #equalCheck(schema: JsonObject, risk: Risk): Check {
    // It may be too large even for the digest.
    if (risk.kind === "unusable") return { schema, key: "", inline: undefined, unusable: unchecked(risk.reason) };
    const key = canonicalDigest(schema);
    return this.#keep(this.#kept.get(key) ?? { schema, key, plain: plainOf(risk.schema), inline: inlineOf(risk) });
  }

  /** Beyond the limit, the one that has waited longest is forgotten; whoever still has it compiles it again. */
  #keep(check: Check): Check {
    this.#kept.delete(check.key);
    this.#kept.set(check.key, check);
    if (this.#kept.size <= this.#maxKept) return check;
    const [oldest] = this.#kept.values();
    oldest!.validate = undefined;
    this.#kept.delete(oldest!.key);
    return check;
  }
}

/** The search runs in this thread, so it is only for schemas of a size that could be compiled here. */
function plainOf(schema: JsonObject): LimitedSchema | undefined {
  if (costOf(schema, INLINE_SCHEMA) === Infinity) return undefined;
  const cost = costOf(schema, { budget: INLINE_WORK, depth: INLINE_WORK, readsText: false });
  return { schema, budget: INLINE_WORK / cost, depth: INLINE_DEPTH, readsText: false };
}

function inlineOf(risk: Exclude<Risk, { kind: "unusable" }>): Check["inline"] {
  if (risk.kind === "risky") return undefined;
  const { schema, weight, readsText } = risk;
  return { schema, budget: INLINE_WORK / weight, depth: INLINE_DEPTH, readsText };
}

function unchecked(reason: string): Verdict {
  return { ok: true, unchecked: reason };
}

function refused(message: string, path = ""): Verdict {
  return { ok: false, problems: [{ path, message }] };
}

/** The text, or what is wrong with the value. */
function write(value: Json): string | Verdict {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    return refused(
      thrown instanceof RangeError ? `is nested more than ${DATA_DEPTH} deep` : "can't be written as JSON",
    );
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
