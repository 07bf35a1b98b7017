/** Reads the standard `OTEL_*` variables. Without an endpoint, nothing is exported. */
import type { Env } from "@plugboard/contracts";

export interface OtlpSettings {
  /** The URL for spans. Undefined if spans are not exported. */
  readonly traces: OtlpTarget | undefined;
  /** The URL for metrics. Undefined if metrics are not exported. */
  readonly metrics: OtlpTarget | undefined;
  readonly resource: { readonly [name: string]: string };
  readonly sampler: Sampler;
  readonly metricIntervalMs: number;
  readonly spanDelayMs: number;
  /** Why the variables can't be followed, such as a protocol that is not supported. */
  readonly problem?: string;
}

export interface OtlpTarget {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly timeoutMs: number;
}

/** Exports this share of the traces. If `parentBased`, a trace with a parent follows the parent's decision instead. */
export interface Sampler {
  readonly parentBased: boolean;
  readonly ratio: number;
}

/** Returns undefined if the variables ask for no export. */
export function readOtlpSettings(env: Env): OtlpSettings | undefined {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return undefined;
  const targets = { traces: readTarget(env, "TRACES"), metrics: readTarget(env, "METRICS") };
  if (!targets.traces && !targets.metrics) return undefined;
  const protocol = env["OTEL_EXPORTER_OTLP_PROTOCOL"];
  return {
    ...(protocol === "grpc" ? { traces: undefined, metrics: undefined, problem: GRPC_PROBLEM } : targets),
    resource: { "service.name": "plugboard", ...readPairs(env["OTEL_RESOURCE_ATTRIBUTES"]), ...serviceName(env) },
    sampler: readSampler(env),
    metricIntervalMs: readNumber(env["OTEL_METRIC_EXPORT_INTERVAL"], 60_000),
    spanDelayMs: readNumber(env["OTEL_BSP_SCHEDULE_DELAY"], 5000),
  };
}

const GRPC_PROBLEM = "OTEL_EXPORTER_OTLP_PROTOCOL is grpc; Plugboard exports over HTTP only, as http/json";

function readTarget(env: Env, signal: "TRACES" | "METRICS"): OtlpTarget | undefined {
  if (env[`OTEL_${signal}_EXPORTER`] === "none") return undefined;
  const own = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  const base = env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  const url = own || (base && `${base.replace(/\/$/, "")}/v1/${signal.toLowerCase()}`);
  if (!url || !URL.canParse(url)) return undefined;
  return {
    url,
    headers: {
      ...readPairs(env["OTEL_EXPORTER_OTLP_HEADERS"]),
      ...readPairs(env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`]),
    },
    timeoutMs: readNumber(env["OTEL_EXPORTER_OTLP_TIMEOUT"], 10_000),
  };
}

function serviceName(env: Env): { readonly [name: string]: string } {
  const name = env["OTEL_SERVICE_NAME"];
  return name ? { "service.name": name } : {};
}

/** Reads `key1=value1,key2=value2`, with percent-encoded values. */
function readPairs(text: string | undefined): { readonly [name: string]: string } {
  const pairs = (text ?? "").split(",").flatMap((pair): [string, string][] => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return name === undefined ? [] : [[name, decode(value!)]];
  });
  return Object.fromEntries(pairs);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function readSampler(env: Env): Sampler {
  const name = env["OTEL_TRACES_SAMPLER"] ?? "parentbased_always_on";
  const parentBased = name.startsWith("parentbased_");
  const kind = name.replace("parentbased_", "");
  if (kind === "always_off") return { parentBased, ratio: 0 };
  if (kind === "traceidratio") {
    const ratio = Number(env["OTEL_TRACES_SAMPLER_ARG"]);
    return { parentBased, ratio: ratio >= 0 && ratio <= 1 ? ratio : 1 };
  }
  return { parentBased, ratio: 1 };
}

function readNumber(text: string | undefined, otherwise: number): number {
  const number = Number(text);
  return text && Number.isInteger(number) && number > 0 ? number : otherwise;
}
