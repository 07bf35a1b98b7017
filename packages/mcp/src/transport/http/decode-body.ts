/**
 * Reads a body as it was before it was encoded. We ask for no encoding, since
 * whoever compresses may hold back events; some do it anyway.
 */
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Transform } from "node:stream";
import { describeValue } from "../../lib/describe-value.ts";
import type { HttpResponse } from "./http-response.ts";

/** The encoding is none, or not what it is said to be. */
export class DecodeError extends Error {}

/** Resolves at the end of the body; what `take` throws ends it too. */
export async function decodeBody(response: HttpResponse, onChunk: (chunk: Buffer) => void): Promise<void> {
  const { contentEncoding } = response;
  if (contentEncoding === "") return response.read(onChunk);
  const decoder = createDecoder(contentEncoding);
  if (!decoder) throw new DecodeError(`it is encoded as ${describeValue(contentEncoding)}, which nobody asked for`);
  return decodeThrough(response, decoder, onChunk);
}

function createDecoder(encoding: string): Transform | undefined {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

/** Takes no more than the decoder keeps up with; what `take` throws ends both. */
function decodeThrough(response: HttpResponse, decoder: Transform, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      reject(error);
      decoder.destroy();
      response.abort();
    };
    decoder.on("data", (chunk: Buffer) => {
      if (decoder.destroyed) return;
      try {
        onChunk(chunk);
      } catch (error) {
        fail(error);
      }
    });
    decoder.once("end", () => {
      resolve();
      // What comes after the end of what was encoded is nothing, and may never end.
      if (!response.ended) response.abort();
    });
    decoder.on("error", () => fail(new DecodeError("its encoding is broken")));
    decoder.on("drain", () => response.resume());
    response
      .read((chunk) => {
        if (!decoder.write(chunk)) response.pause();
      })
      .then(() => decoder.end(), fail);
  });
}
