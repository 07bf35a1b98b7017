/** Exports for other packages: spans and durations of MCP requests, by the semantic conventions of OpenTelemetry. */
export { endAttributes, spanAttributes, spanName } from "./activity/operation.ts";
export type { Attributes, Operation, Span, Tracer } from "./activity/operation.ts";
export { traceContextIn } from "./activity/telemetry.ts";
export type { Telemetry } from "./activity/telemetry.ts";
export { formatTraceparent, parseTraceparent } from "./activity/traceparent.ts";
