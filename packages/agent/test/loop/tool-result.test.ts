/** Tests the results that a model gets for its calls. */
import { interruptedResult, closeOpenCalls, EMPTY_HISTORY } from "#loop/history.js";
import { invalidArgumentsResult, notRunResult, outputResult, thrownResult, unknownResult } from "#loop/tool-result.js";
import { cancelled, HostError } from "@plugboard/contracts";
import type { ChatMessage } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { definition } from "../helpers/scripted-turn.ts";

const look = { type: "tool_call", callId: "1", tool: "look", args: {} } as const;
const base = { type: "tool_result", callId: "1", tool: "look" };
const own = definition("look");
const ofServer = definition("look", "sky:look");

describe("outputResult", () => {
  it("has the text, and marks the source of a server's tool", () => {
    expect(outputResult(look, "Stars", own)).toEqual({ ...base, status: "ok", text: "Stars" });
    expect(outputResult(look, { text: "Fog", isError: true }, ofServer)).toEqual({
      ...base,
      status: "error",
      text: "Fog",
      untrusted: { source: "sky:look" },
    });
    expect(outputResult(look, { text: "", source: "sea:dive" }, ofServer).untrusted).toEqual({ source: "sea:dive" });
  });

  it("has media, and the data of an App, only if the output has them", () => {
    const image = { type: "image", data: "aW1hZ2U=", mimeType: "image/png" } as const;
    const app = { server: "sky", tool: "look", uri: "ui://sky", result: { content: [] } };
    expect(outputResult(look, { text: "", media: [image], app }, own)).toEqual({
      ...base,
      status: "ok",
      text: "",
      media: [image],
      app,
    });
    expect(outputResult(look, { text: "", media: [] }, own)).toEqual({ ...base, status: "ok", text: "" });
  });
});

describe("thrownResult", () => {
  const denied = new HostError("TOOL_DENIED", { server: "sky", tool: "look", by: "the user" });
  const nobody = new HostError("NOBODY_TO_ASK", { server: "sky", tool: "look" });

  it.each([denied, nobody])("says that the call was denied: $code", (error) => {
    const text = `The call was denied and did not run. ${error.message}`;
    expect(thrownResult(look, error, ofServer)).toEqual({ ...base, status: "denied", text });
  });

  it("says that the call was cancelled, or that the tool is gone", () => {
    const text = "The call was cancelled. It may have taken effect; check before you repeat it.";
    expect(thrownResult(look, cancelled(), ofServer)).toEqual({ ...base, status: "cancelled", text });
    const gone = thrownResult(look, new HostError("TOOL_NOT_FOUND", { tool: "look" }), ofServer);
    expect(gone).toEqual(unknownResult(look, []));
  });

  it("quotes any other error, and marks it as untrusted if the tool is a server's", () => {
    const other = new HostError("HOST_CLOSED", {});
    expect(thrownResult(look, other, own)).toEqual({
      ...base,
      status: "error",
      text: `The tool failed: ${other.message}`,
    });
    expect(thrownResult(look, "odd", ofServer)).toEqual({
      ...base,
      status: "error",
      text: expect.stringMatching(/^The tool failed: .*odd/) as string,
      untrusted: { source: "sky:look" },
    });
  });
});

describe("unknownResult", () => {
  const text = 'The tool "look" is not available. Please try another approach.';
  const offered = (count: number) => Array.from({ length: count }, (_, index) => definition(`t${index}`));

  it("lists up to 30 other tools", () => {
    expect(unknownResult(look, [])).toEqual({ ...base, status: "unknown", text });
    expect(unknownResult(look, offered(2)).text).toBe(`${text} Available tools: t0, t1.`);
    expect(unknownResult(look, offered(30)).text).toContain("t29.");
    expect(unknownResult(look, offered(31)).text).toBe(text);
  });
});

it("the result of a call that did not run has the reason", () => {
  expect(invalidArgumentsResult(look, "Bad.")).toEqual({
    ...base,
    status: "error",
    text: "The call did not run. Bad.",
  });
  expect(notRunResult(look, "too late")).toEqual({
    ...base,
    status: "not_run",
    text: "The call did not run: too late.",
  });
});

it("closeOpenCalls gives a result to the calls of the last message only", () => {
  const asked: ChatMessage = { role: "user", content: [{ type: "text", text: "Look" }] };
  const called: ChatMessage = { role: "assistant", content: [{ type: "text", text: "Yes." }, look] };
  const history = { ...EMPTY_HISTORY, messages: [asked, called] };
  expect(interruptedResult(look)).toMatchObject({ ...base, status: "cancelled" });
  const closed = closeOpenCalls(history);
  expect(closed.messages).toEqual([asked, called, { role: "tool", content: [interruptedResult(look)] }]);
  expect(closeOpenCalls(closed)).toBe(closed);
  expect(closeOpenCalls(EMPTY_HISTORY)).toBe(EMPTY_HISTORY);
  expect(EMPTY_HISTORY).toMatchObject({ messages: [], toolOrder: [], measured: { tokens: 0, messages: 0 } });
});
