/** Reads the body of a request as JSON. Limits its size and its structure. */
import type { IncomingMessage } from "node:http";
import { HostError } from "@plugboard/contracts";
import { findExceededBound } from "@plugboard/gateway";

const MAX_BYTES = 16 * 1024 * 1024;

export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new HostError("USAGE", { message: `a request may have at most ${MAX_BYTES} bytes` });
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const excess = findExceededBound(body);
  if (excess !== undefined) throw new HostError("USAGE", { message: `the request is too complex: ${excess}` });
  try {
    return JSON.parse(body.toString("utf8") || "{}") as unknown;
  } catch (error) {
    throw new HostError("USAGE", { message: "the request is not JSON" }, { cause: error });
  }
}
