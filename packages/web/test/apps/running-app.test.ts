/** Tests an App that runs in a frame, without a browser: who can speak for it, what it asks, and how it ends. */
import { NO_APP_ORIGINS } from "@plugboard/contracts";
import type { JsonObject, ToolResult, Workspace } from "@plugboard/contracts";
import { FIRST_STATE, RunningApp } from "#apps/running-app.js";
import type { AppChat, AppHost } from "#apps/running-app.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const ORIGIN = "http://127.0.0.1:7432";
const READY = "ui/notifications/sandbox-proxy-ready";
let page: EventTarget & { open: (...args: unknown[]) => void };
let opened: unknown[][];
let scheme: EventTarget & { matches: boolean };

beforeEach(() => {
  vi.useFakeTimers();
  opened = [];
  page = Object.assign(new EventTarget(), { open: (...args: unknown[]) => void opened.push(args) });
  scheme = Object.assign(new EventTarget(), { matches: false });
  vi.stubGlobal("window", page);
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("matchMedia", () => scheme);
  vi.stubGlobal("getComputedStyle", () => ({ getPropertyValue: () => "" }));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function setUp(chat?: AppChat) {
  const posted: (JsonObject & { readonly method?: string })[] = [];
  const targets = new Set<unknown>();
  const frameWindow = {
    postMessage: (message: JsonObject, target: unknown) => {
      posted.push(message);
      targets.add(target);
    },
  };
  let state = FIRST_STATE;
  const signals: AbortSignal[] = [];
  const call = (_: object, __: JsonObject, { signal }: { readonly signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<ToolResult>(() => {});
  };
  const workspace = { tools: { list: async () => [{ server: "apps", tool: "count" }], call } } as unknown as Workspace;
  const onClosed = vi.fn<() => void>();
  const app = new RunningApp({
    frameWindow: frameWindow as AppHost["frameWindow"],
    sandboxOrigin: ORIGIN,
    version: "1.2.3",
    app: {
      html: "<b>",
      declaration: { origins: NO_APP_ORIGINS, permissions: [] },
      allowed: { ...NO_APP_ORIGINS, connect: ["https://a.example"] },
      refused: [],
    },
    server: "apps",
    args: { text: "a" },
    result: { content: [] },
    workspace: () => workspace,
    chat: () => chat,
    context: (mode) => ({ displayMode: mode }),
    setState: (next) => (state = next),
    onClosed,
  });
  const emit = (data: unknown, source: unknown = frameWindow, origin = ORIGIN) =>
    page.dispatchEvent(Object.assign(new Event("message"), { source, origin, data }));
  let id = 0;
  const request = (method: string, params: JsonObject = {}) => emit({ jsonrpc: "2.0", id: ++id, method, params });
  const notify = (method: string, params: JsonObject = {}) => emit({ jsonrpc: "2.0", method, params });
  const initialize = () => notify("ui/notifications/initialized");
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const methods = () => posted.map(({ method }) => method);
  return {
    app,
    posted,
    targets,
    signals,
    onClosed,
    emit,
    request,
    notify,
    initialize,
    settle,
    methods,
    state: () => state,
  };
}

const LINK = { url: "https://a.example/" };

describe("a running App", () => {
  it("starts inline, without requests and calls", () => {
    expect(FIRST_STATE).toEqual({
      height: 240,
      mode: "inline",
      calls: [],
      request: undefined,
      late: false,
      stopped: undefined,
      logs: [],
    });
  });

  it("gets its HTML when the sandbox is ready, and then the arguments and the result of its tool", () => {
    const { notify, initialize, posted, targets } = setUp();
    expect(posted).toEqual([]);
    notify(READY);
    expect(posted).toEqual([
      { jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params: { html: "<b>" } },
    ]);
    initialize();
    expect(posted.slice(1)).toEqual([
      { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: { text: "a" } } },
      { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [] } },
    ]);
    expect([...targets]).toEqual([ORIGIN]);
  });

  it("is heard only from the window and the origin of its sandbox", async () => {
    const { emit, settle, posted } = setUp();
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    emit(ping, {});
    emit(ping, undefined, "null");
    emit(ping, {}, "null");
    for (const value of [null, undefined, "text"]) emit(value);
    await settle();
    expect(posted).toEqual([]);
    emit(ping);
    await settle();
    expect(posted).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  it("is stopped when its document has left, or its sandbox begins again", async () => {
    for (const leave of ["ui/notifications/sandbox-left", READY]) {
      const { notify, request, settle, posted, state } = setUp();
      notify(READY);
      notify(leave);
      expect(state().stopped).toBe("it has left its page");
      request("ping");
      await settle();
      expect(posted).toHaveLength(1);
    }
  });

  it("learns the context of the host, with its current mode and the origins that it may use", async () => {
    const { app, request, settle, posted } = setUp();
    app.setMode("fullscreen");
    request("ui/initialize");
    await settle();
    expect(posted.at(-1)).toMatchObject({
      result: {
        hostInfo: { name: "plugboard", version: "1.2.3" },
        hostContext: { displayMode: "fullscreen" },
        hostCapabilities: { sandbox: { csp: { connectDomains: ["https://a.example"] }, permissions: {} } },
      },
    });
  });

  it("can switch between two modes only, and is told its new mode", async () => {
    const { request, initialize, settle, posted, state } = setUp();
    initialize();
    for (const [wanted, mode] of [
      ["fullscreen", "fullscreen"],
      ["pip", "inline"],
    ]) {
      request("ui/request-display-mode", { mode: wanted! });
      await settle();
      expect(state().mode).toBe(mode);
      expect(posted.slice(-2)).toEqual([
        expect.objectContaining({ method: "ui/notifications/host-context-changed", params: { displayMode: mode } }),
        expect.objectContaining({ result: { mode } }),
      ]);
    }
  });

  it("learns of each change of the theme until its frame is gone", () => {
    const { app, initialize, methods, request, posted } = setUp();
    initialize();
    scheme.dispatchEvent(new Event("change"));
    expect(methods().filter((method) => method === "ui/notifications/host-context-changed")).toHaveLength(1);
    app.dispose();
    const { length } = posted;
    scheme.dispatchEvent(new Event("change"));
    request("ping");
    expect(posted).toHaveLength(length);
  });

  it("sets its height within limits, and keeps the latest 200 log lines", () => {
    const { notify, state } = setUp();
    notify("ui/notifications/size-changed", { height: 5000 });
    expect(state().height).toBe(1200);
    for (let index = 0; index < 201; index++) notify("notifications/message", { level: "info", data: `line ${index}` });
    expect(state().logs).toHaveLength(200);
    expect(state().logs.at(-1)).toBe("info: line 200");
    notify("notifications/message", { level: "a\nb", data: "c\u202Ed" });
    expect(state().logs.at(-1)).not.toMatch(/\n|\u202E/);
  });

  it("asks the user one question at a time, and acts only after a yes", async () => {
    const { app, request, settle, posted, state } = setUp();
    request("ui/open-link", LINK);
    request("ui/open-link", { url: "https://b.example/" });
    await settle();
    expect(state().request).toEqual({ type: "link", url: "https://a.example/" });
    expect(posted).toMatchObject([{ id: 2, error: { code: -32000 } }]);
    app.answer(false);
    await settle();
    expect(state().request).toBeUndefined();
    expect(posted.at(-1)).toMatchObject({ id: 1, result: { isError: true } });
    expect(opened).toEqual([]);
    request("ui/open-link", LINK);
    await settle();
    app.answer(true);
    await settle();
    expect(posted.at(-1)).toMatchObject({ id: 3, result: {} });
    expect(opened).toEqual([["https://a.example/", "_blank", "noopener,noreferrer"]]);
    app.answer(true);
    await settle();
    expect(opened).toHaveLength(1);
  });

  it("talks to the chat that it belongs to", async () => {
    const sent: string[] = [];
    const chat = { send: async (text: string) => sent.push(text), setContext: (text: string) => void sent.push(text) };
    const content = [{ type: "text", text: "hi" }];
    const without = setUp();
    without.request("ui/message", { content });
    await without.settle();
    expect(without.posted).toMatchObject([{ error: { code: -32601 } }]);
    const { app, request, settle } = setUp(chat);
    request("ui/update-model-context", { content: [{ type: "text", text: "blue" }] });
    request("ui/message", { content });
    await settle();
    expect(sent).toEqual(["blue"]);
    app.answer(true);
    await settle();
    expect(sent).toEqual(["blue", "hi"]);
  });

  it("loses its calls and its request when it is stopped, and gets no more messages", async () => {
    const { app, request, initialize, settle, posted, signals, state } = setUp();
    initialize();
    request("tools/call", { name: "count" });
    request("ui/open-link", LINK);
    await settle();
    expect(state()).toMatchObject({ calls: [expect.any(String)], request: { type: "link" } });
    expect(signals[0]!.aborted).toBe(false);
    const { length } = posted;
    app.stop("it took the keyboard");
    scheme.dispatchEvent(new Event("change"));
    await settle();
    expect(state()).toMatchObject({ request: undefined, stopped: "it took the keyboard" });
    expect(signals[0]!.aborted).toBe(true);
    expect(posted).toHaveLength(length);
    expect(opened).toEqual([]);
  });

  it("is stopped when it floods the page", () => {
    const { notify, state } = setUp();
    for (let index = 0; index < 600; index++) notify("x");
    expect(state().stopped).toBe("it sent too many messages");
  });

  it("is late if it has not started after ten seconds", async () => {
    const [silent, started, gone] = [setUp(), setUp(), setUp()];
    started.initialize();
    gone.app.dispose();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(silent.state().late).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect([silent, started, gone].map(({ state }) => state().late)).toEqual([true, false, false]);
  });

  it("is closed when it has finished, after half a second at the latest, or when it asks to be closed", async () => {
    const { app, emit, initialize, settle, methods, onClosed } = setUp();
    initialize();
    void app.close();
    expect(methods().at(-1)).toBe("ui/resource-teardown");
    emit({ jsonrpc: "2.0", id: "teardown", result: {} });
    await settle();
    expect(onClosed).toHaveBeenCalledTimes(1);

    const silent = setUp();
    silent.initialize();
    void silent.app.close();
    await vi.advanceTimersByTimeAsync(499);
    expect(silent.onClosed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(silent.onClosed).toHaveBeenCalledTimes(1);

    const asking = setUp();
    asking.notify("ui/notifications/request-teardown");
    expect(asking.onClosed).toHaveBeenCalledTimes(1);
  });

  it("gets the answer no to its open request when its frame is gone", async () => {
    const { app, request, settle, posted } = setUp();
    request("ui/open-link", LINK);
    await settle();
    app.dispose();
    await settle();
    expect(posted.at(-1)).toMatchObject({ result: { isError: true } });
    expect(opened).toEqual([]);
  });
});
