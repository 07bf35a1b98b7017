import { parseLine, parseMessage } from "#transport/messages/parse-message.js";
import { describe, expect, it, vi } from "vitest";

const line = (text: string) => parseLine(Buffer.from(text));
const answer = '{"jsonrpc":"2.0","id":7,"result":{}}';

describe("parseLine", () => {
  it.each(["", "starting", "listening on 8080", "  "])("returns undefined for %j", (text) => {
    expect(line(text)).toBeUndefined();
  });

  it.each(["[info] starting", "{starting}", '{"level":"info"}', '{"level":"info","id":7}', "[1,2]", "{}"])(
    "classifies %j as noise",
    (text) => {
      expect(line(text)).toMatchObject({ type: "malformed", looksLike: "noise" });
    },
  );

  it.each([
    ["a batch", `[${answer}]`, undefined],
    ["a truncated batch", `[${answer}`, 7],
    ["a truncated response", answer.slice(0, -3), 7],
    ["a response that is truncated before its id", '{"jsonrpc":"2.0","id"', undefined],
    ["a response after a byte-order mark", `\ufeff${answer}`, 7],
  ])("classifies %s as a possible response", (_, text, id) => {
    const incoming = line(text);
    expect(incoming).toMatchObject({ type: "malformed", looksLike: "response" });
    expect((incoming as { id?: number }).id).toBe(id);
  });

  it.each([
    ["a truncated notification", '{"jsonrpc":"2.0","method":"notifications/mess'],
    ["a truncated request", '{"jsonrpc":"2.0","id":7,"method":"elicit'],
  ])("classifies %s as a request, so that no call fails", (_, text) => {
    const incoming = line(text);
    expect(incoming).toMatchObject({ type: "malformed", looksLike: "request" });
    expect(incoming).not.toHaveProperty("id");
  });

  it("ignores whitespace around a message", () => {
    expect(line(` ${answer}\r`)).toMatchObject({ type: "result" });
  });
});

describe("parseMessage with a deeply nested message", { meta: { covers: ["F22"] } }, () => {
  const nested = (depth: number) =>
    `{"jsonrpc":"2.0","id":7,"result":{"content":${"[".repeat(depth)}${"]".repeat(depth)}}}`;

  it("classifies the message as a malformed response to its request", () => {
    expect(parseMessage(nested(100_000))).toEqual({
      type: "malformed",
      reason: "it is nested more than 3500 deep",
      looksLike: "response",
      id: 7,
    });
  });

  it("counts the depth, not the brackets in strings", () => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 7, result: { text: '\\"[{'.repeat(10_000) } });
    expect(parseMessage(text)).toMatchObject({ type: "result" });
  });

  it("accepts a message of 3000 levels, which can still be serialised", () => {
    const incoming = parseMessage(nested(3000));
    expect(incoming).toMatchObject({ type: "result" });
    expect(() => JSON.stringify(incoming)).not.toThrow();
  });
});

describe("A message that exceeds the JSON bounds", { meta: { covers: ["A17"] } }, () => {
  const dense = `[${"[],".repeat(600_000)}0]`;
  const reason = "it has more than 1000000 brackets, commas and colons";

  it.each([
    ["its id first", `{"jsonrpc":"2.0","id":7,"result":{"a":${dense}}}`, { looksLike: "response", id: 7 }],
    [
      "its id before the version",
      `{ "id": 7, "jsonrpc": "2.0", "result": ${dense} }`,
      { looksLike: "response", id: 7 },
    ],
    ["its id last", `{"result":{"a":${dense}},"jsonrpc":"2.0","id":7}`, { looksLike: "response", id: 7 }],
    [
      "its id at the start and other ids inside",
      `{"id":7,"result":{"id":8,"a":${dense},"id":9},"jsonrpc":"2.0"}`,
      { looksLike: "response", id: 7 },
    ],
    ["an id only inside the payload", `{"result":{"a":${dense},"id":9}}`, { looksLike: "response" }],
    ["its id in the middle", `{"result":{"a":${dense}},"x":[],"id":7,"y":[]}`, { looksLike: "response" }],
    [
      "a request in place of a response",
      `{"method":"a","params":{"a":${dense}},"jsonrpc":"2.0","id":"q"}`,
      { looksLike: "request", id: "q" },
    ],
    [
      "a notification in place of a response",
      `{"jsonrpc":"2.0","method":"a","params":{"a":${dense}}}`,
      { looksLike: "request" },
    ],
    ["a bare list in place of a message", dense, { looksLike: "noise" }],
  ])("is not parsed, and its kind and id are guessed if it has %s", (_, text, fails) => {
    const parse = vi.spyOn(JSON, "parse");
    try {
      expect(line(text)).toEqual({ type: "malformed", reason, ...fails });
      expect(parseMessage(text)).toEqual({ type: "malformed", reason, ...fails });
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });
});
