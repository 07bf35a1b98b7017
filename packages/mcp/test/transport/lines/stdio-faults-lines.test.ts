/** Tests how invalid output of a real server affects calls. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import type { Session } from "@plugboard/mcp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, connect, expectFailure, expectText } from "../../helpers/connect.ts";
import { rawAnswer, rawLine, openRawWriterPeer, replyText, rawWriterCommand } from "../../helpers/raw-writer-peer.ts";

/** One server for all tests that do not change it. */
let shared: Session;
beforeAll(async () => void ({ session: shared } = await connect(rawWriterCommand(), { atEnd: afterAll })));

/** Long enough that no call times out before the expected failure. */
const longTimeouts = { timeoutMs: 3_600_000, maxMs: 36_000_000 };

describe("A stdio session with output that is not a message", { meta: { covers: ["F5"] } }, () => {
  it.each([
    ["a banner", "*** Welcome to the server, version 1.0 ***\n", 1],
    ["a banner of several lines, including empty ones", "\n=======\n\r\n listening on 8080\n\n", 2],
    ["lines that begin like a message", "{starting}\n[info] ready\n", 2],
    ["JSON log lines", '{"level":"info","id":1,"msg":"took it"}\n{"error":"disk is nearly full"}\n', 2],
    ["binary data", "\u0000\u0001\u001b[2J\ufffd\n", 1],
    ["a line that resembles a response but is not JSON", "result: {'jsonrpc': '2.0', 'id': 1}\n", 1],
  ])("skips and counts %s", async (_, garbage, count) => {
    const { peer, request } = await openRawWriterPeer();
    const { response } = request("write_raw", { text: `${garbage}${rawAnswer("after it")}${garbage}` });
    expect(replyText(await response)).toBe("after it");
    expect(replyText(await request("write_raw", { text: rawAnswer("and later") }).response)).toBe("and later");
    expect(peer.counters).toEqual({ late: 0, malformed: 0, noise: 2 * count, undelivered: 0 });
  });

  it("skips a banner before the handshake", async () => {
    const script = `console.log("Starting\\u2026"); console.log("{not json"); require(process.argv[1]);`;
    const { command, args } = scriptedLegacy();
    const { session } = await connect({ command, args: ["-e", script.replace("require(", "import("), ...args] });
    expect(expectText(await call(session, "noise"))).toBe("made some noise");
  });
});

describe("A stdio session", { meta: { covers: ["F6", "R0.15"] } }, () => {
  const text = "naïve 😀 \u2028 “quoted” \\ 漢字";

  it.each([
    ["in one chunk", rawAnswer(text), {}],
    ["byte by byte, also within a character", rawAnswer(text), { bytes_at_once: 1 }],
    ["in chunks of seven bytes", rawAnswer(text), { bytes_at_once: 7, every_ms: 1 }],
    ["with CRLF", rawAnswer(text).replace("\n", "\r\n"), {}],
    ["with CRLF, byte by byte", rawAnswer(text).replace("\n", "\r\n"), { bytes_at_once: 1 }],
    ["with whitespace around it", `  \t${rawAnswer(text).trimEnd()}  \r\n`, { bytes_at_once: 3 }],
    [
      "after other messages in the same chunk",
      `${rawLine({ method: "x" })}${rawLine({ method: "y" })}${rawAnswer(text)}`,
      { bytes_at_once: 50 },
    ],
  ])("reads a message %s", async (_, written, options) => {
    expect(expectText(await call(shared, "write_raw", { text: written, ...options }))).toBe(text);
  });

  it("reads a large message in many chunks", { meta: { covers: ["F6", "R0.15", "R0.16"] } }, async () => {
    const large = "漢".repeat(300_000);
    expect(expectText(await call(shared, "write_raw", { text: rawAnswer(large), bytes_at_once: 50_001 }))).toBe(large);
  });
});

describe("A stdio session with an invalid response", { meta: { covers: ["F7", "R0.64", "R3.77"] } }, () => {
  const result = { content: [{ type: "text", text: "no" }] };
  const error = { code: -32000, message: "no" };

  it.each([
    ["a byte-order mark", `\ufeff${rawAnswer("no")}`],
    ["a batch", `[${rawAnswer("no").trimEnd()}]\n`],
    ["a batch of two", `[${rawAnswer("no").trimEnd()},${rawLine({ method: "x" }).trimEnd()}]\n`],
    ["both result and error", rawLine({ id: "$ID", result, error })],
    ["neither result nor error", rawLine({ id: "$ID" })],
    ["a result that is not an object", rawLine({ id: "$ID", result: "done" })],
    ["an error that is not an object", rawLine({ id: "$ID", error: "failed" })],
    ["a wrong JSON-RPC version", rawLine({ jsonrpc: "1.0", id: "$ID", result })],
    ["a missing JSON-RPC version", `{"id":$ID,"result":{}}\n`],
    ["a result without an id", rawLine({ result })],
    ["truncated JSON", `${rawAnswer("no").slice(0, -6)}\n`],
  ])("fails only the call whose response has this fault: %s", async (_, written) => {
    expect(expectFailure(await call(shared, "write_raw", { text: written }, longTimeouts)).code).toBe(
      "INVALID_MESSAGE",
    );
    expect(expectText(await call(shared, "echo", { text: "on" }))).toBe("on");
  });

  it("fails the call if the scripted server sends both result and error", async () => {
    const { session } = await connect(scriptedLegacy());
    expect(expectFailure(await call(session, "bad_envelope", {}, longTimeouts)).code).toBe("INVALID_MESSAGE");
  });

  it("fails the call whose id the response has, even if another call has caused it", async () => {
    const { request } = await openRawWriterPeer();
    const other = request("write_raw", { text: "" }, longTimeouts);
    const { response } = request("write_raw", {
      text: `${rawLine({ id: other.id, result: 7 })}${rawAnswer("right")}`,
    });
    expect(replyText(await response)).toBe("right");
    await expect(other.response).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
  });
});

describe("A call over stdio", { meta: { covers: ["F17"] } }, () => {
  it.each([
    ["a second response to itself", `${rawAnswer("right")}${rawAnswer("wrong")}`, 1],
    ["a response with an unknown numeric id", `${rawLine({ id: 4711, result: {} })}${rawAnswer("right")}`, 1],
    [
      "a response with an unknown string id",
      `${rawLine({ id: "nobody", error: { code: 1, message: "no" } })}${rawAnswer("right")}`,
      1,
    ],
    [
      "a response with its numeric id as a string",
      `${rawAnswer("wrong").replace("$ID", '"$ID"')}${rawAnswer("right")}`,
      1,
    ],
    [
      "responses with a fractional and a negative id",
      `${rawLine({ id: 0.5, result: {} })}${rawLine({ id: -1, result: {} })}${rawAnswer("right")}`,
      2,
    ],
  ])("ignores %s and returns the right response", async (_, written, late) => {
    const { peer, request, echo } = await openRawWriterPeer();
    expect(replyText(await request("write_raw", { text: written }).response)).toBe("right");
    await echo();
    expect(peer.counters).toEqual({ late, malformed: 0, noise: 0, undelivered: 0 });
    expect(peer.inFlight).toBe(0);
  });

  it("does not accept a response with its numeric id as a string", async () => {
    const { session } = await connect(rawWriterCommand());
    const written = rawAnswer("wrong").replace("$ID", '"$ID"');
    const outcome = await call(session, "write_raw", { text: written }, { timeoutMs: 300 });
    expect(expectFailure(outcome).code).toBe("REQUEST_TIMEOUT");
  });
});

describe("A late response", { meta: { covers: ["F18", "I3", "R0.19", "R2.136"] } }, () => {
  it.each([
    ["after a cancel", (abort: AbortController) => ({ signal: abort.signal }), "CANCELLED"],
    ["after a timeout", () => ({ timeoutMs: 50 }), "REQUEST_TIMEOUT"],
  ])("is dropped, and no request stays pending, if it comes %s", async (_, options, code) => {
    const { peer, request, echo } = await openRawWriterPeer();
    const abort = new AbortController();
    const cancelled = { ...options(abort), cancelNotice: true };
    // The response is still being written when the call is cancelled.
    const { response } = request("write_raw", { text: rawAnswer("late"), bytes_at_once: 40, every_ms: 200 }, cancelled);
    abort.abort();
    await expect(response).rejects.toMatchObject({ code });
    expect(peer.inFlight).toBe(0);
    await expect.poll(() => peer.counters.late, { timeout: 15_000 }).toBe(1);
    await echo();
    expect(peer.inFlight).toBe(0);
  });

  it("leaves the session usable", async () => {
    const { session, waitForStderr } = await connect(rawWriterCommand());
    const abort = new AbortController();
    const late = { text: rawAnswer("late"), bytes_at_once: 60, every_ms: 50 };
    const outcome = call(session, "write_raw", late, { signal: abort.signal });
    abort.abort();
    expect(expectFailure(await outcome).code).toBe("CANCELLED");
    // Waits for the end of the line, because another response between the chunks would become part of it.
    await waitForStderr("wrote ");
    expect(expectText(await call(session, "echo", { text: "on" }))).toBe("on");
  });
});

describe("A message that is nested 100 000 levels deep", { meta: { covers: ["F22"] } }, () => {
  const depth = 100_000;
  const list = `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const object = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

  it.each([
    ["nested lists in a result", `{"jsonrpc":"2.0","id":$ID,"result":{"content":${list}}}\n`],
    ["nested objects in a result", `{"jsonrpc":"2.0","id":$ID,"result":${object}}\n`],
    [
      "nested lists in the data of an error",
      `{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"no","data":${list}}}\n`,
    ],
    ["a bare nested list before the response", `${list}\n{"jsonrpc":"2.0","id":$ID,"result":${list}}\n`],
  ])("fails only the call whose response has %s", async (_, written) => {
    expect(expectFailure(await call(shared, "write_raw", { text: written }, longTimeouts)).code).toBe(
      "INVALID_MESSAGE",
    );
    expect(expectText(await call(shared, "echo", { text: "on" }))).toBe("on");
  });

  it("fails no call if it is not a response", async () => {
    const { peer, request, echo } = await openRawWriterPeer();
    const params = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${list}}}\n`;
    const question = `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"a":${list}}}\n`;
    expect(replyText(await request("write_raw", { text: `${params}${question}${rawAnswer("right")}` }).response)).toBe(
      "right",
    );
    await echo();
    expect(peer.counters.malformed).toBe(2);
  });
});
