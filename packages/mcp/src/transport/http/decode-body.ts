/**
 * Decompresses a response body. Requests do not ask for compression, because a compressing server may delay events.
 * Some servers compress anyway.
 */
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Transform } from "node:stream";
import { describeValue } from "../../lib/describe-value.ts";
import type { HttpResponse } from "./http-response.ts";

/** The content encoding is unknown or the data does not match it. */
export class DecodeError extends Error {}

/** Resolves at the end of the body. Rejects if `onChunk` throws. */
export async function decodeBody(response: HttpResponse, onChunk: (chunk: Buffer) => void): Promise<void> {
  const { contentEncoding } = response;
  if (contentEncoding === "") return response.read(onChunk);
  const decoder = createDecoder(contentEncoding);
  if (!decoder) throw new DecodeError(`it is encoded as ${describeValue(contentEncoding)}, which was not requested`);
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

/** Pauses the response while the decoder is busy. Stops both if `onChunk` throws. */
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
      // Data after the end of the compressed stream is not read, because it may never end.
      if (!response.ended) response.abort();
    });
    decoder.on("error", () => fail(new DecodeError("its compressed data is invalid")));
    decoder.on("drain", () => response.resume());
    response
      .read((chunk) => {
        if (!decoder.write(chunk)) response.pause();
      })
      .then(() => decoder.end(), fail);
  });
}
