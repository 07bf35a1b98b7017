/** Tests what an App may do, method by method: with and without a chat, and with each answer of the user. */
import type { JsonObject, ToolResult } from "@plugboard/contracts";
import { AppBridge } from "#apps/app-bridge.js";
import { APP_METHODS } from "#apps/app-methods.js";
import { describe, expect, it, vi } from "vitest";

const RESULT: ToolResult = { content: [{ type: "text", text: "called" }], structuredContent: { n: 1 } };
const REPORT = { type: "resource", resource: { uri: "file:///a/report.txt", mimeType: "text/plain", text: "abc" } };

interface Place {
  readonly inChat: boolean;
  /** The answer of the user to each question. */
  readonly agrees: boolean;
}

/** Returns the answer that an App gets, and what the page did for it. */
async function send(method: string, params: JsonObject, { inChat, agrees }: Place) {
  const posted: JsonObject[] = [];
  const done: unknown[] = [];
  const log =
    <Result>(name: string, result: Result) =>
    (...args: unknown[]): Result => {
      done.push([name, ...args]);
      return result;
    };
  const bridge = new AppBridge({
    post: (message) => void posted.push(message),
    now: () => 0,
    hostInfo: { name: "plugboard" },
    hostContext: () => ({ theme: "dark" }),
    sandbox: { csp: {} },
    inChat,
    callTool: log("callTool", Promise.resolve(RESULT)),
    readResource: log("readResource", Promise.resolve([{ uri: "a:b", text: "read" }])),
    listResources: log("listResources", Promise.resolve([{ uri: "a:b" }])),
    ask: log("ask", Promise.resolve(agrees)),
    carryOut: log("carryOut", Promise.resolve()),
    setModelContext: log("setModelContext", undefined),
    onHeight: log("onHeight", undefined),
    setDisplayMode: log("setDisplayMode", "fullscreen" as const),
    onLog: log("onLog", undefined),
    onClose: log("onClose", undefined),
    onStopped: log("onStopped", undefined),
  });
  bridge.receive({ jsonrpc: "2.0", id: 1, method, params });
  await vi.waitFor(() => expect(posted).toHaveLength(1), { interval: 1 });
  const { id: _, jsonrpc: __, ...answer } = posted[0]!;
  return { answer, done };
}

const REFUSED = { error: { code: -32601 } };
const WRONG = { error: { code: -32602 } };
const LINK = { type: "link", url: "https://a.example/" };
const MESSAGE = { type: "message", text: "one\ntwo" };
const SAY = {
  content: [{ type: "text", text: "one" }, "no block", { text: "no type" }, { type: "text", text: "two" }],
};
const FILE = { type: "download", files: [expect.objectContaining({ name: "report.txt" })] };

/** For each allowed method: its parameters, the answer, and what the page does. */
const ALLOWED: { readonly [method: string]: readonly [JsonObject, unknown, readonly unknown[]] } = {
  ping: [{}, { result: {} }, []],
  "tools/call": [
    { name: "count", arguments: { n: 1 } },
    { result: { content: [{ type: "text", text: "called" }], structuredContent: { n: 1 } } },
    [["callTool", "count", { n: 1 }]],
  ],
  "resources/read": [
    { uri: "a:b" },
    { result: { contents: [{ uri: "a:b", text: "read" }] } },
    [["readResource", "a:b"]],
  ],
  "resources/list": [{}, { result: { resources: [{ uri: "a:b" }] } }, [["listResources"]]],
  "ui/request-display-mode": [
    { mode: "fullscreen" },
    { result: { mode: "fullscreen" } },
    [["setDisplayMode", "fullscreen"]],
  ],
};
const ASKS: { readonly [method: string]: readonly [JsonObject, unknown] } = {
  "ui/open-link": [{ url: "HTTPS://a.example" }, LINK],
  "ui/download-file": [{ contents: [REPORT] }, FILE],
  "ui/message": [SAY, MESSAGE],
};
const DENIED = ["sampling/createMessage", "tools/list", "resources/templates/list", "prompts/list"];
const PLACES: readonly Place[] = [false, true].flatMap((inChat) => [false, true].map((agrees) => ({ inChat, agrees })));

describe("the rights of an App", { meta: { covers: ["A22"] } }, () => {
  it("are the same in the table of methods as in these tests", () => {
    const stated = Object.entries(APP_METHODS).map(([method, { rule, where }]) => [method, `${rule} ${where}`]);
    const rows = (methods: readonly string[], rule: string) => methods.map((method) => [method, rule]);
    expect(Object.fromEntries(stated)).toEqual(
      Object.fromEntries([
        ...rows([...Object.keys(ALLOWED), "ui/initialize"], "allowed everywhere"),
        ...rows(Object.keys(ASKS), "asks everywhere"),
        ...rows(DENIED, "denied everywhere"),
        ["tools/call", "policy everywhere"],
        ["ui/message", "asks chat"],
        ["ui/update-model-context", "allowed chat"],
      ]),
    );
  });

  it.each(Object.entries(ALLOWED))(
    "allow %s without a question, everywhere",
    async (method, [params, answer, done]) => {
      for (const place of PLACES) expect(await send(method, params, place)).toEqual({ answer, done });
    },
  );

  it.each(Object.entries(ASKS))(
    "allow %s only if the user agrees, and otherwise nothing is done",
    async (method, [params, request]) => {
      for (const place of PLACES) {
        const { answer, done } = await send(method, params, place);
        if (method === "ui/message" && !place.inChat) {
          expect(answer).toMatchObject(REFUSED);
          expect(done).toEqual([]);
        } else {
          expect(answer).toEqual({ result: place.agrees ? {} : { isError: true } });
          expect(done).toEqual([["ask", request], ...(place.agrees ? [["carryOut", request]] : [])]);
        }
      }
    },
  );

  it.each([...DENIED, "unknown", "toString", "__proto__", "", "ui/notifications/initialized"])(
    "deny %j",
    async (method) => {
      for (const place of PLACES) {
        const { answer, done } = await send(method, { name: "count", uri: "a:b", url: "https://a.example" }, place);
        expect(answer).toMatchObject(REFUSED);
        expect(done).toEqual([]);
      }
    },
  );

  it("allow a text for the model only in a chat", async () => {
    const params = { content: [{ type: "text", text: "blue" }], structuredContent: { colour: "blue" } };
    for (const place of PLACES) {
      const { answer, done } = await send("ui/update-model-context", params, place);
      expect(answer).toMatchObject(place.inChat ? { result: {} } : REFUSED);
      expect(done).toEqual(place.inChat ? [["setModelContext", 'blue\n{"colour":"blue"}']] : []);
    }
    const inChat = { inChat: true, agrees: true };
    for (const [part, text] of [
      [{ content: [] }, ""],
      [{ structuredContent: [1] }, "[1]"],
      [{}, ""],
    ] as [JsonObject, string][])
      expect((await send("ui/update-model-context", part, inChat)).done).toEqual([["setModelContext", text]]);
  });

  it("let an App learn about its host, and about messages to a model only in a chat", async () => {
    for (const place of PLACES) {
      const { answer } = await send("ui/initialize", {}, place);
      expect(answer).toEqual({
        result: {
          protocolVersion: "2026-01-26",
          hostInfo: { name: "plugboard" },
          hostCapabilities: {
            openLinks: {},
            downloadFile: {},
            serverTools: {},
            serverResources: {},
            logging: {},
            sandbox: { csp: {} },
            ...(place.inChat && { message: { text: {} }, updateModelContext: { text: {}, structuredContent: {} } }),
          },
          hostContext: { theme: "dark" },
        },
      });
    }
  });

  it.each<[string, JsonObject]>([
    ["tools/call", {}],
    ["tools/call", { name: 5 }],
    ["resources/read", { url: "a:b" }],
    ["ui/request-display-mode", {}],
    ["ui/open-link", {}],
    ["ui/open-link", { url: "javascript:alert(1)" }],
    ["ui/open-link", { url: "a.example" }],
    ["ui/download-file", {}],
    ["ui/download-file", { contents: [] }],
    ["ui/download-file", { contents: [{ type: "resource_link", uri: "file:///a" }] }],
    ["ui/download-file", { contents: [{ ...REPORT, type: undefined }] as never }],
    ["ui/message", { content: "text" }],
    ["ui/update-model-context", { content: "text" }],
  ])("refuse %s with the parameters %j before anything is asked", async (method, params) => {
    const { answer, done } = await send(method, params, { inChat: true, agrees: true });
    expect(answer).toMatchObject(WRONG);
    expect(done).toEqual([]);
  });

  it("let an App call a tool, without arguments if they are no object", async () => {
    for (const args of [[1], "text", null, 5]) {
      const { done } = await send("tools/call", { name: "count", arguments: args }, PLACES[0]!);
      expect(done).toEqual([["callTool", "count", {}]]);
    }
  });
});
