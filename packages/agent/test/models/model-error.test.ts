/** Tests which error is thrown for a failure of a provider. */
import { brokenAnswer, modelError } from "#models/model-error.js";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const context = { now: NOW, apiKey: "secret-key" };

function apiError(fields: object = {}, message = "Bad news.", cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? {} : { cause });
  return Object.assign(error, { name: "AI_APICallError", ...fields });
}

const convert = (thrown: unknown, apiKey: string | undefined = context.apiKey) => {
  const { code, details, cause } = modelError("m/x", thrown, { now: NOW, apiKey });
  return { code, details, cause };
};

describe("the code of an error", () => {
  it.each([
    ["MODEL_UNAVAILABLE", 408],
    ["MODEL_UNAVAILABLE", 409],
    ["MODEL_UNAVAILABLE", 429],
    ["MODEL_UNAVAILABLE", 500],
    ["MODEL_UNAVAILABLE", 529],
    ["MODEL_FAILED", 300],
    ["MODEL_FAILED", 400],
    ["MODEL_FAILED", 401],
    ["MODEL_FAILED", 404],
    ["MODEL_FAILED", 430],
    ["MODEL_FAILED", 499],
    ["MODEL_FAILED", 199],
  ])("is %s after the status %i", (code, statusCode) => {
    const thrown = apiError({ statusCode });
    expect(convert(thrown)).toEqual({
      code,
      details: { model: "m/x", reason: "Bad news", status: statusCode },
      cause: thrown,
    });
  });

  it.each([200, 299])("is the same as for an answer that broke off after the status %i", (statusCode) => {
    const thrown = apiError({ statusCode });
    expect(convert(thrown)).toEqual({ ...convert(brokenAnswer("m/x")), cause: thrown });
    expect(convert(thrown).details).toEqual({ model: "m/x", reason: "its answer broke off" });
  });

  it.each([
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "not_found_error",
    "invalid_prompt",
    "insufficient_quota",
  ])("is MODEL_FAILED with the permanent code %s, whatever the status", (type) => {
    for (const data of [{ type }, { code: type }, { error: { type } }, { error: { error: { code: type } } }]) {
      for (const statusCode of [200, 429, 500, undefined])
        expect(convert(apiError({ data, ...(statusCode && { statusCode }) })).code).toBe("MODEL_FAILED");
      expect(convert(data).code).toBe("MODEL_FAILED");
    }
  });

  it.each([{ type: "other" }, { code: 7 }, { error: "invalid_prompt" }, "invalid_prompt", null])(
    "is MODEL_UNAVAILABLE without a permanent code: %j",
    (data) => {
      expect(convert(apiError({ data, statusCode: 500 })).code).toBe("MODEL_UNAVAILABLE");
      expect(convert(data).code).toBe("MODEL_UNAVAILABLE");
    },
  );

  it.each(["context_length_exceeded", "request_too_large", "exceed_context_size_error"])(
    "is MODEL_CONTEXT_EXCEEDED with the code %s",
    (code) => {
      const thrown = apiError({ statusCode: 500, data: { error: { code } } });
      expect(convert(thrown)).toEqual({
        code: "MODEL_CONTEXT_EXCEEDED",
        details: { model: "m/x", reason: "Bad news" },
        cause: thrown,
      });
      expect(convert({ type: code }).code).toBe("MODEL_CONTEXT_EXCEEDED");
    },
  );

  it.each(["Prompt is too long: 9", "maximum context length", "context size", "the context window"])(
    "is MODEL_CONTEXT_EXCEEDED with the message %s and the status 400, 413 or 422",
    (message) => {
      for (const statusCode of [400, 413, 422])
        expect(convert(apiError({ statusCode }, message)).code).toBe("MODEL_CONTEXT_EXCEEDED");
      for (const statusCode of [401, 500, undefined])
        expect(convert(apiError({ statusCode }, message)).code).not.toBe("MODEL_CONTEXT_EXCEEDED");
      expect(convert(new Error(message)).code).toBe("MODEL_UNAVAILABLE");
    },
  );

  it("is MODEL_FAILED for a defect of the SDK, and MODEL_UNAVAILABLE if the SDK could not read the answer", () => {
    const named = (name: string) => convert(Object.assign(new Error("x"), { name })).code;
    expect(named("AI_InvalidPromptError")).toBe("MODEL_FAILED");
    const broken = ["EmptyResponseBody", "InvalidResponseData", "JSONParse", "TypeValidation"];
    for (const name of broken) expect(named(`AI_${name}Error`)).toBe("MODEL_UNAVAILABLE");
    expect(named("TypeError")).toBe("MODEL_UNAVAILABLE");
  });

  it("is the code of a HostError that was thrown, or that is a cause", () => {
    const inner = new HostError("MODEL_FAILED", { model: "m/x", reason: "too large" });
    expect(modelError("m/x", inner, context)).toBe(inner);
    expect(modelError("m/x", new Error("a", { cause: new Error("b", { cause: inner }) }), context)).toBe(inner);
  });
});

describe("an unreachable server", () => {
  it.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"])(
    "is detected by the code %s",
    (code) => {
      const cause = new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code }) });
      expect(convert(apiError({}, "No answer", cause)).details).toEqual({
        model: "m/x",
        reason: "No answer: fetch failed",
        unreachable: true,
      });
    },
  );

  it("is not detected by other codes", () => {
    for (const code of ["ECONNRESET", 7, undefined]) {
      const cause = Object.assign(new Error("lost"), { code });
      expect(convert(apiError({}, "No answer", cause)).details).not.toHaveProperty("unreachable");
    }
  });
});

describe("the delay of a retry", () => {
  const delay = (responseHeaders: object) =>
    (convert(apiError({ statusCode: 429, responseHeaders })).details as { retryAfterMs?: number }).retryAfterMs;

  it.each([
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
    [{ "retry-after-ms": "0" }, 0],
    [{ "retry-after-ms": "", "retry-after": "7" }, 7000],
    [{ "retry-after-ms": "soon", "retry-after": "7" }, 7000],
    [{ "retry-after-ms": "-1", "retry-after": "7" }, 7000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:20 GMT" }, 20_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{}, undefined],
  ])("of %j is %s", (headers, ms) => {
    expect(delay(headers)).toBe(ms);
  });
});

describe("the reason of an error", () => {
  const reason = (thrown: unknown, apiKey?: string) =>
    (convert(thrown, apiKey).details as { readonly reason: string }).reason;

  it.each([
    [new Error(" Failed... "), "Failed"],
    [new Error("Failed", { cause: new Error("no route") }), "Failed: no route"],
    [new Error("Failed", { cause: "no error" }), "Failed"],
    ["a text.", "a text"],
    [{ message: "m", error: { message: "inner" } }, "m"],
    [{ error: { message: "inner" } }, "inner"],
    [{ error: { error: "deep" } }, "deep"],
    [{ message: 7 }, "the provider gave no reason"],
    [undefined, "the provider gave no reason"],
    [new Error("..."), "the provider gave no reason"],
  ])("is read from %o", (thrown, text) => {
    expect(reason(thrown)).toBe(text);
  });

  it("does not quote a key of eight or more characters", () => {
    expect(reason("key secret-key and secret-key", "secret-key")).toBe("key *** and ***");
    expect(reason("key 12345678", "12345678")).toBe("key ***");
    expect(reason("key 1234567", "1234567")).toBe("key 1234567");
    expect(reason("key", undefined)).toBe("key");
  });
});
