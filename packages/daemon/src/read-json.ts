/** The body of a request as JSON, within bounds. */
import type { IncomingMessage } from "node:http";
import { HostError } from "@plugboard/contracts";
import { jsonExcess } from "@plugboard/gateway";

const LIMIT = 16 * 1024 * 1024;

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LIMIT) throw new HostError("USAGE", { what: `a request may have at most ${LIMIT} bytes` });
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const excess = jsonExcess(body);
  if (excess !== undefined) throw new HostError("USAGE", { what: `the request is too complex: ${excess}` });
  try {
    return JSON.parse(body.toString("utf8") || "{}") as unknown;
  } catch (error) {
    throw new HostError("USAGE", { what: "the request is not JSON" }, { cause: error });
  }
}
