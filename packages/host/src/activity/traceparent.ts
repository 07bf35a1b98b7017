/** The header `traceparent` of W3C Trace Context. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Bit 0 says that the caller records the trace. */
  readonly traceFlags: number;
}

/** Version (not ff), trace id, span id, flags. Later versions may append fields. */
const PATTERN = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Returns undefined if the text is not valid. */
export function parseTraceparent(text: string): TraceParent | undefined {
  const [, traceId = "", spanId = "", flags = ""] = PATTERN.exec(text) ?? [];
  const isValid = /[^0]/.test(traceId) && /[^0]/.test(spanId);
  return isValid ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16) } : undefined;
}

export function formatTraceparent({ traceId, spanId, traceFlags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}
