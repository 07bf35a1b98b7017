import { parseLine, parseMessage } from "#transport/messages/parse-message.js";
import { describe, expect, it, vi } from "vitest";

const line = (text: string) => parseLine(Buffer.from(text));
const answer = '{"jsonrpc":"2.0","id":7,"result":{}}';

describe("a line on a shared wire", () => {
  it.each(["", "starting", "listening on 8080", "  "])("is no message: %j", (text) => {
    expect(line(text)).toBeUndefined();
  });

  it.each(["[info] starting", "{starting}", '{"level":"info"}', '{"level":"info","id":7}', "[1,2]", "{}"])(
    "is noise: %j",
    (text) => {
      expect(line(text)).toMatchObject({ type: "malformed", looksLike: "noise" });
    },
  );

  it.each([
    ["a batch", `[${answer}]`, undefined],
    ["a batch that is cut", `[${answer}`, 7],
    ["an answer that is cut", answer.slice(0, -3), 7],
    ["an answer that is cut early", '{"jsonrpc":"2.0","id"', undefined],
    ["an answer behind a byte-order mark", `\ufeff${answer}`, 7],
  ])("may be the answer to a request: %s", (_, text, id) => {
    const incoming = line(text);
    expect(incoming).toMatchObject({ type: "malformed", looksLike: "answer" });
    expect((incoming as { id?: number }).id).toBe(id);
  });

  it.each([
    ["a notification that is cut", '{"jsonrpc":"2.0","method":"notifications/mess'],
    ["a question that is cut", '{"jsonrpc":"2.0","id":7,"method":"elicit'],
  ])("touches no request: %s", (_, text) => {
    const incoming = line(text);
    expect(incoming).toMatchObject({ type: "malformed", looksLike: "request" });
    expect(incoming).not.toHaveProperty("id");
  });

  it("is read whatever blanks are around it", () => {
    expect(line(` ${answer}\r`)).toMatchObject({ type: "result" });
  });
});

describe("a message nested deeper than anybody can write it again", { meta: { covers: ["F22"] } }, () => {
  const nested = (depth: number) =>
    `{"jsonrpc":"2.0","id":7,"result":{"content":${"[".repeat(depth)}${"]".repeat(depth)}}}`;

  it("fails its request alone", () => {
    expect(parseMessage(nested(100_000))).toEqual({
      type: "malformed",
      reason: "it is nested more than 3500 deep",
      looksLike: "answer",
      id: 7,
    });
  });

  it("is told by its depth, not by the brackets in its texts", () => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 7, result: { text: '\\"[{'.repeat(10_000) } });
    expect(parseMessage(text)).toMatchObject({ type: "result" });
  });

  it("is deeper than what we take", () => {
    const incoming = parseMessage(nested(3000));
    expect(incoming).toMatchObject({ type: "result" });
    expect(() => JSON.stringify(incoming)).not.toThrow();
  });
});

describe("a message whose structure exceeds the bounds", { meta: { covers: ["A17"] } }, () => {
  const dense = `[${"[],".repeat(600_000)}0]`;
  const reason = "it has more than 1000000 brackets, commas and colons";

  it.each([
    ["the id first", `{"jsonrpc":"2.0","id":7,"result":{"a":${dense}}}`, { looksLike: "answer", id: 7 }],
    ["the id before the version", `{ "id": 7, "jsonrpc": "2.0", "result": ${dense} }`, { looksLike: "answer", id: 7 }],
    ["the id last", `{"result":{"a":${dense}},"jsonrpc":"2.0","id":7}`, { looksLike: "answer", id: 7 }],
    [
      "the id at either end",
      `{"id":7,"result":{"id":8,"a":${dense},"id":9},"jsonrpc":"2.0"}`,
      { looksLike: "answer", id: 7 },
    ],
    ["an id inside of the payload", `{"result":{"a":${dense},"id":9}}`, { looksLike: "answer" }],
    ["no envelope that shows", `{"result":{"a":${dense}},"x":[],"id":7,"y":[]}`, { looksLike: "answer" }],
    [
      "a question",
      `{"method":"a","params":{"a":${dense}},"jsonrpc":"2.0","id":"q"}`,
      { looksLike: "request", id: "q" },
    ],
    ["a notification", `{"jsonrpc":"2.0","method":"a","params":{"a":${dense}}}`, { looksLike: "request" }],
    ["a bare list", dense, { looksLike: "noise" }],
  ])("is not parsed and fails the request it answers: %s", (_, text, fails) => {
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
