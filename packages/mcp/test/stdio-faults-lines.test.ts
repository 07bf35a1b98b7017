/** What a real process may write to its output, and what becomes of the call that made it do so. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import type { Session } from "@plugboard/mcp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, connect, error, text } from "./connect.ts";
import { answering, line, peerToldToWrite, textOf, writesAsTold } from "./told.ts";

/** One server for all that leaves it as it was. */
let shared: Session;
beforeAll(async () => void ({ session: shared } = await connect(writesAsTold(), { atEnd: afterAll })));

/** No call waits for this: whatever fails, fails before. */
const hours = { timeoutMs: 3_600_000, maxMs: 36_000_000 };

describe("what is no message is skipped and counted:", { meta: { covers: ["F5"] } }, () => {
  it.each([
    ["a banner", "*** Welcome to the server, version 1.0 ***\n", 1],
    ["a banner of several lines, some of them empty", "\n=======\n\r\n listening on 8080\n\n", 2],
    ["what begins like a message", "{starting}\n[info] ready\n", 2],
    ["logs in JSON", '{"level":"info","id":1,"msg":"took it"}\n{"error":"disk is nearly full"}\n', 2],
    ["bytes that are no text", "\u0000\u0001\u001b[2J\ufffd\n", 1],
    ["what looks like an answer but was never JSON", "result: {'jsonrpc': '2.0', 'id': 1}\n", 1],
  ])("%s", async (_, garbage, count) => {
    const { peer, request } = await peerToldToWrite();
    const { reply } = request("write_raw", { text: `${garbage}${answering("after it")}${garbage}` });
    expect(textOf(await reply)).toBe("after it");
    expect(textOf(await request("write_raw", { text: answering("and later") }).reply)).toBe("and later");
    expect(peer.counters).toEqual({ late: 0, malformed: 0, noise: 2 * count, undelivered: 0 });
  });

  it("a banner before the handshake", async () => {
    const script = `console.log("Starting\\u2026"); console.log("{not json"); require(process.argv[1]);`;
    const { command, args } = scriptedLegacy();
    const { session } = await connect({ command, args: ["-e", script.replace("require(", "import("), ...args] });
    expect(text(await call(session, "noise"))).toBe("made some noise");
  });
});

describe("a message is read correctly", { meta: { covers: ["F6", "R0.15"] } }, () => {
  const said = "naïve 😀 \u2028 “quoted” \\ 漢字";

  it.each([
    ["in one piece", answering(said), {}],
    ["byte by byte, also within a character", answering(said), { bytes_at_once: 1 }],
    ["in pieces of seven bytes", answering(said), { bytes_at_once: 7, every_ms: 1 }],
    ["with CRLF", answering(said).replace("\n", "\r\n"), {}],
    ["with CRLF, byte by byte", answering(said).replace("\n", "\r\n"), { bytes_at_once: 1 }],
    ["with blanks around it", `  \t${answering(said).trimEnd()}  \r\n`, { bytes_at_once: 3 }],
    [
      "behind another and a half",
      `${line({ method: "x" })}${line({ method: "y" })}${answering(said)}`,
      { bytes_at_once: 50 },
    ],
  ])("%s", async (_, written, how) => {
    expect(text(await call(shared, "write_raw", { text: written, ...how }))).toBe(said);
  });

  it("though it is large and comes in many pieces", { meta: { covers: ["F6", "R0.15", "R0.16"] } }, async () => {
    const large = "漢".repeat(300_000);
    expect(text(await call(shared, "write_raw", { text: answering(large), bytes_at_once: 50_001 }))).toBe(large);
  });
});

describe(
  "what breaks the rules fails the call at once, and only that call:",
  { meta: { covers: ["F7", "R0.64", "R3.77"] } },
  () => {
    const result = { content: [{ type: "text", text: "no" }] };
    const refusal = { code: -32000, message: "no" };

    it.each([
      ["a byte-order mark", `\ufeff${answering("no")}`],
      ["a batch", `[${answering("no").trimEnd()}]\n`],
      ["a batch of two", `[${answering("no").trimEnd()},${line({ method: "x" }).trimEnd()}]\n`],
      ["both result and error", line({ id: "$ID", result, error: refusal })],
      ["neither result nor error", line({ id: "$ID" })],
      ["a result that is no object", line({ id: "$ID", result: "done" })],
      ["an error that is no object", line({ id: "$ID", error: "failed" })],
      ["another version", line({ jsonrpc: "1.0", id: "$ID", result })],
      ["no version", `{"id":$ID,"result":{}}\n`],
      ["a result without an id", line({ result })],
      ["JSON that is cut", `${answering("no").slice(0, -6)}\n`],
    ])("%s", async (_, written) => {
      expect(error(await call(shared, "write_raw", { text: written }, hours)).code).toBe("INVALID_MESSAGE");
      expect(text(await call(shared, "echo", { text: "on" }))).toBe("on");
    });

    it("both result and error, from the scripted server", async () => {
      const { session } = await connect(scriptedLegacy());
      expect(error(await call(session, "bad_envelope", {}, hours)).code).toBe("INVALID_MESSAGE");
    });

    it("an answer that names another call, which alone fails", async () => {
      const { request } = await peerToldToWrite();
      const other = request("write_raw", { text: "" }, hours);
      const { reply } = request("write_raw", { text: `${line({ id: other.id, result: 7 })}${answering("right")}` });
      expect(textOf(await reply)).toBe("right");
      await expect(other.reply).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
    });
  },
);

describe("an answer goes to the call whose very id it has:", { meta: { covers: ["F17"] } }, () => {
  it.each([
    ["one that comes twice", `${answering("right")}${answering("wrong")}`, 1],
    ["one under a wrong id", `${line({ id: 4711, result: {} })}${answering("right")}`, 1],
    ["one under no id of ours", `${line({ id: "nobody", error: { code: 1, message: "no" } })}${answering("right")}`, 1],
    ["one whose number is a text", `${answering("wrong").replace("$ID", '"$ID"')}${answering("right")}`, 1],
    [
      "one under a fraction, one below zero",
      `${line({ id: 0.5, result: {} })}${line({ id: -1, result: {} })}${answering("right")}`,
      2,
    ],
  ])("%s", async (_, written, late) => {
    const { peer, request, echo } = await peerToldToWrite();
    expect(textOf(await request("write_raw", { text: written }).reply)).toBe("right");
    await echo();
    expect(peer.counters).toEqual({ late, malformed: 0, noise: 0, undelivered: 0 });
    expect(peer.inFlight).toBe(0);
  });

  it("only a text: it is not taken for the number", async () => {
    const { session } = await connect(writesAsTold());
    const written = answering("wrong").replace("$ID", '"$ID"');
    const outcome = await call(session, "write_raw", { text: written }, { timeoutMs: 300 });
    expect(error(outcome).code).toBe("REQUEST_TIMEOUT");
  });
});

describe(
  "an answer that comes late is dropped, and nothing is left pending:",
  { meta: { covers: ["F18", "I3", "R0.19", "R2.136"] } },
  () => {
    it.each([
      ["after a cancel", (abort: AbortController) => ({ signal: abort.signal }), "CANCELLED"],
      ["after a timeout", () => ({ timeoutMs: 50 }), "REQUEST_TIMEOUT"],
    ])("%s", async (_, options, code) => {
      const { peer, request, echo } = await peerToldToWrite();
      const abort = new AbortController();
      const cancelled = { ...options(abort), cancelNotice: true };
      // The answer is still being written when the call is given up.
      const { reply } = request("write_raw", { text: answering("late"), bytes_at_once: 40, every_ms: 200 }, cancelled);
      abort.abort();
      await expect(reply).rejects.toMatchObject({ code });
      expect(peer.inFlight).toBe(0);
      await expect.poll(() => peer.counters.late, { timeout: 15_000 }).toBe(1);
      await echo();
      expect(peer.inFlight).toBe(0);
    });

    it("in a session, which goes on", async () => {
      const { session, stderr } = await connect(writesAsTold());
      const abort = new AbortController();
      const late = { text: answering("late"), bytes_at_once: 60, every_ms: 50 };
      const outcome = call(session, "write_raw", late, { signal: abort.signal });
      abort.abort();
      expect(error(await outcome).code).toBe("CANCELLED");
      // An answer in between its pieces would be part of its line.
      await stderr("wrote ");
      expect(text(await call(session, "echo", { text: "on" }))).toBe("on");
    });
  },
);

describe(
  "JSON that is nested 100 000 deep fails the call whose answer it is, and harms nothing else:",
  { meta: { covers: ["F22"] } },
  () => {
    const depth = 100_000;
    const list = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const object = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

    it.each([
      ["lists in a result", `{"jsonrpc":"2.0","id":$ID,"result":{"content":${list}}}\n`],
      ["objects in a result", `{"jsonrpc":"2.0","id":$ID,"result":${object}}\n`],
      ["in the data of an error", `{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"no","data":${list}}}\n`],
      ["and nothing else", `${list}\n{"jsonrpc":"2.0","id":$ID,"result":${list}}\n`],
    ])("%s", async (_, written) => {
      expect(error(await call(shared, "write_raw", { text: written }, hours)).code).toBe("INVALID_MESSAGE");
      expect(text(await call(shared, "echo", { text: "on" }))).toBe("on");
    });

    it("in what is no answer, it fails nothing", async () => {
      const { peer, request, echo } = await peerToldToWrite();
      const params = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${list}}}\n`;
      const question = `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"a":${list}}}\n`;
      expect(textOf(await request("write_raw", { text: `${params}${question}${answering("right")}` }).reply)).toBe(
        "right",
      );
      await echo();
      expect(peer.counters.malformed).toBe(2);
    });
  },
);
