/** Tests how long lists are cut into pages, and how failures name the resource. */
import { HostError } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";
import { pageOutcome } from "#requests/pages.js";
import {
  errorWithUri,
  missingCapabilities,
  resourceNotFound,
  unknownOutput,
  withResourceUri,
} from "#requests/peer-failure.js";
import { describe, expect, it } from "vitest";

interface Page {
  readonly items: readonly number[];
  readonly nextCursor?: string;
}

function pageOf(count: number, cursor?: string): Page {
  const items = Array.from({ length: count }, (_, index) => index);
  const outcome = pageOutcome(items, { method: "items/list", key: "items", cursor, extra: { ttlMs: 5 } });
  expect(outcome).toMatchObject({ type: "complete", result: { ttlMs: 5 } });
  return (outcome as unknown as { result: Page }).result;
}

describe("pageOutcome", () => {
  it("returns up to 5000 items per page, and each item once", () => {
    expect(pageOf(5000)).toEqual({ items: expect.any(Array) as unknown, ttlMs: 5 });
    const first = pageOf(10_001);
    const second = pageOf(10_001, first.nextCursor);
    const third = pageOf(10_001, second.nextCursor);
    expect([first, second, third].map(({ items }) => items.length)).toEqual([5000, 5000, 1]);
    expect([...first.items, ...second.items, ...third.items]).toEqual(Array.from({ length: 10_001 }, (_, n) => n));
    expect(third.nextCursor).toBeUndefined();
  });

  it("fails with -32602 for an invalid cursor, and for a cursor of another list", () => {
    const { nextCursor } = pageOf(5001);
    for (const [key, cursor] of [
      ["items", "garbage"],
      ["others", nextCursor],
    ] as const) {
      const outcome = pageOutcome([], { method: "items/list", key, cursor });
      expect(outcome).toMatchObject({ type: "failed", error: { peer: { code: -32602 } } });
    }
  });
});

describe("errorWithUri", () => {
  const failure = (code: number, data?: Json) =>
    new HostError(
      "REQUEST_FAILED",
      { server: "s", method: "resources/read", code, message: "no" },
      { cause: { code, message: "no", ...(data !== undefined && { data }) } },
    );

  it.each([-32002, -32602])("adds the client's URI to the error %d, and sets its code to -32602", (code) => {
    const error = errorWithUri(failure(code, { hint: 1, uri: "inner://1" }), "resources/read", "outer://1");
    expect(error.peer).toMatchObject({ code: -32602, message: "no", data: { hint: 1, uri: "outer://1" } });
    for (const data of [undefined, null, [1], "x"])
      expect(errorWithUri(failure(code, data), "m", "outer://1").peer?.data).toEqual({ uri: "outer://1" });
  });

  it("leaves other errors and results as they are", () => {
    const other = failure(-32603);
    expect(errorWithUri(other, "resources/read", "outer://1")).toBe(other);
    const complete = { type: "complete", result: {} } as const;
    expect(withResourceUri(complete, "outer://1")).toBe(complete);
    expect(withResourceUri({ type: "failed", error: failure(-32002) }, "outer://1")).toMatchObject({
      type: "failed",
      error: { details: { method: "resources/read" }, peer: { data: { uri: "outer://1" } } },
    });
  });
});

it.each([resourceNotFound, unknownOutput])("$name fails resources/read with -32602 and the URI", (failure) => {
  const error = { details: { method: "resources/read" }, peer: { code: -32602, data: { uri: "a://b" } } };
  expect(failure("a://b")).toMatchObject({ type: "failed", error });
});

it("missingCapabilities names the capabilities that the client would need", () => {
  expect(missingCapabilities(["sampling", "roots"], "the server asks for them")).toMatchObject({
    type: "failed",
    error: {
      details: { method: "tools/call" },
      peer: {
        code: -32021,
        message: "The client does not support sampling and roots: the server asks for them",
        data: { requiredCapabilities: { sampling: {}, roots: {} } },
      },
    },
  });
});
