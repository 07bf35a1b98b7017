/** Reads the body of a request as JSON. Limits its size, its structure and the time that it takes to arrive. */
import type { IncomingMessage } from "node:http";
import { abortable, HostError } from "@plugboard/contracts";
import { findExceededBound } from "@plugboard/mcp/server-transport";
import type { Clock } from "@plugboard/contracts";
import type { BodyLimits } from "./routes.ts";

/** The clock is needed if the limits have a time. */
export async function readJsonBody(request: IncomingMessage, limits: BodyLimits, clock?: Clock): Promise<unknown> {
  const body = await readBody(request, limits, clock);
  const excess = findExceededBound(body);
  if (excess !== undefined) throw usageError(`the request is too complex: ${excess}`);
  try {
    return JSON.parse(body.toString("utf8") || "{}") as unknown;
  } catch (error) {
    throw usageError("the request is not JSON", error);
  }
}

async function readBody(request: IncomingMessage, limits: BodyLimits, clock?: Clock): Promise<Buffer> {
  const { maxBytes, withinMs } = limits;
  // A body whose declared length is above the limit is not read at all.
  if (Number(request.headers["content-length"]) > maxBytes) throw tooLong(maxBytes);
  const reading = collect(request, maxBytes);
  if (withinMs === undefined || !clock) return reading;
  const late = new AbortController();
  const cancel = clock.after(withinMs, () => late.abort());
  try {
    return await abortable(reading, late.signal, () => usageError(`the request took longer than ${withinMs} ms`));
  } finally {
    cancel();
  }
}

async function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Destroying the request would close the connection before the client gets the error.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLong(maxBytes: number): HostError {
  return usageError(`the request may have at most ${maxBytes} bytes`);
}

function usageError(message: string, cause?: unknown): HostError {
  return new HostError("USAGE", { message }, cause === undefined ? undefined : { cause });
}
