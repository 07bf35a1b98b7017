import { decodeBody } from "#transport/http/decode-body.js";
import type { HttpResponse } from "#transport/http/http-response.js";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, it, vi } from "vitest";

it("decodeBody pauses the response while the decoder is busy", { meta: { covers: ["F30"] } }, async () => {
  const body = randomBytes(1_000_000);
  const pause = vi.fn();
  const resume = vi.fn();
  const response = {
    contentEncoding: "gzip",
    ended: true,
    read(take: (chunk: Buffer) => void) {
      take(gzipSync(body));
      expect(pause).toHaveBeenCalledTimes(1);
      expect(resume).not.toHaveBeenCalled();
      return new Promise<void>((end) => resume.mockImplementation(end));
    },
    pause,
    resume,
  };
  const decoded: Buffer[] = [];
  await decodeBody(response as unknown as HttpResponse, (chunk) => decoded.push(chunk));
  expect(Buffer.concat(decoded).equals(body)).toBe(true);
  expect(resume).toHaveBeenCalled();
});

it("decodeBody does not wait for data after the end of the compressed stream", async () => {
  const abort = vi.fn();
  const response = {
    contentEncoding: "gzip",
    ended: false,
    read(take: (chunk: Buffer) => void) {
      take(Buffer.concat([gzipSync("all of it"), Buffer.alloc(8)]));
      return new Promise<void>(() => {});
    },
    abort,
  };
  const decoded: Buffer[] = [];
  await decodeBody(response as unknown as HttpResponse, (chunk) => decoded.push(chunk));
  expect(Buffer.concat(decoded).toString()).toBe("all of it");
  expect(abort).toHaveBeenCalledTimes(1);
});
