/**
 * Searches all output of a host for the secrets of its definitions and calls. The servers fail, crash, and echo each
 * secret that they receive. Only the result of a tool and a question to the user may contain a secret.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { toJournalEntry } from "#activity/journal-line.js";
import type { InMemorySpanExporter } from "@opentelemetry/sdk-trace-base";
import type { Answer, HostEvent, JsonObject, ServerEntry } from "@plugboard/contracts";
import { createHost } from "#lazy.js";
import type { CreateHostOptions } from "#library/create-host-options.js";
import type { EmbeddedHost } from "#library/embedded-host.js";
import { scriptedLegacy, startScriptedHttp } from "@plugboard/testkit/start-server";
import type { ScriptedRequest } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  captureError,
  readFilesUnder,
  captureProcessOutput,
  captureSpans,
  readOwnCommandLines,
} from "../helpers/captured-output.ts";

const randomSecret = () => randomBytes(16).toString("hex");
const SECRETS = {
  header: randomSecret(),
  token: randomSecret(),
  env: randomSecret(),
  query: randomSecret(),
  password: randomSecret(),
  option: randomSecret(),
  argument: randomSecret(),
};

/** No output may contain eight successive characters of a secret. */
const SECRET_PIECES = Object.entries(SECRETS).flatMap(([where, text]) =>
  Array.from({ length: text.length - 7 }, (_, start) => ({ where, piece: text.slice(start, start + 8) })),
);

describe("a host with secrets in its definitions and calls", { meta: { covers: ["A12", "R2.141"] } }, () => {
  it.each<[string, (request: ScriptedRequest, response: ServerResponse) => void]>([
    [
      "needs a login and echoes the secrets in its challenge",
      (request, response) =>
        respondWithText(request, response, 401, {
          "www-authenticate": `Bearer error="invalid_token", error_description="${secretsIn(request)}"`,
        }),
    ],
    [
      "demands more scope",
      (request, response) =>
        respondWithText(request, response, 403, {
          "www-authenticate": `Bearer error="insufficient_scope", scope="${secretsIn(request)}"`,
        }),
    ],
    ["refuses with status 400", (request, response) => respondWithText(request, response, 400)],
    ["fails with status 500", (request, response) => respondWithText(request, response, 500)],
    ["is overloaded", (request, response) => respondWithText(request, response, 503, { "retry-after": "1" })],
    ["answers with status 400 and a JSON-RPC error", (request, response) => respondWithError(request, response, 400)],
    ["answers with a JSON-RPC error", (request, response) => respondWithError(request, response, 200)],
    [
      "answers with a text that is not JSON",
      (request, response) => void response.writeHead(200, { "content-type": "application/json" }).end(SECRETS.token),
    ],
    [
      "answers with malformed JSON",
      (request, response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end(`{"a": ${secretsIn(request)}}`),
    ],
    [
      "answers with an unknown content type",
      (request, response) =>
        void response.writeHead(200, { "content-type": `text/${SECRETS.header}` }).end(secretsIn(request)),
    ],
    [
      "redirects to another origin",
      (request, response) =>
        respondWithText(request, response, 307, { location: `http://127.0.0.1:1/${SECRETS.token}/x?${SECRETS.query}` }),
    ],
    [
      "uses an unknown content encoding",
      (request, response) => respondWithText(request, response, 200, { "content-encoding": SECRETS.header }),
    ],
    [
      "sends an invalid HTTP response",
      (request, { socket }) => void socket?.end(`HTTP/1.1 200 OK\r\n${secretsIn(request)}\r\n\r\n`),
    ],
    ["closes the connection without an answer", (_, { socket }) => socket?.destroy()],
  ])("leaks no secret of a server over HTTP that %s", async (_, handler) => {
    const { url, close } = await startScriptedHttp(handler);
    onTestFinished(close);
    const { host, output } = await openHost({ s: remoteEntry(url, "http"), old: remoteEntry(url, "sse") });
    await captureError(output, () => host.servers.connect("old"));
    await captureError(output, () => host.tools.call("s:any", { text: SECRETS.argument }));
    await expectNoLeaks(host, output);
  });

  it("leaks no secret of a server over HTTP whose tool call fails", async () => {
    const { url, close } = await startScriptedHttp((request, response) => {
      const { id, method } = JSON.parse(request.body || "{}") as { id?: number; method?: string };
      if (id === undefined) return void response.writeHead(method === undefined ? 405 : 202).end();
      const result = RESULTS[method ?? ""];
      if (!result) return respondWithError(request, response, 200);
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    onTestFinished(close);
    const { host, output } = await openHost({ s: remoteEntry(url, "http") });
    expect(host.status()).toMatchObject([{ state: "ready" }]);
    // The caller may see an argument that the server quotes, because the caller sent it.
    await captureError(output, () => host.tools.call("s:echo", { text: "harmless" }));
    expect(output.at(-1)).toMatchObject({
      code: "TOOL_EXECUTION_FAILED",
      message: expect.stringContaining("You sent") as string,
    });
    await captureError([], () => host.tools.call("s:echo", { text: SECRETS.argument }));
    await expectNoLeaks(host, output);
  });

  it("leaks no secret of a WebSocket server that puts a secret in its close reason", async () => {
    const { url, headers } = remoteEntry(await startClosingWebSocket(), "websocket");
    const { host, output } = await openHost({ s: { transport: "websocket", url: url!, headers: headers! } });
    await captureError(output, () => host.tools.call("s:any", { text: SECRETS.argument }));
    await expectNoLeaks(host, output);
  });

  it.each(["http", "sse", "websocket"] as const)(
    "leaks no secret of a server over %s that is unreachable or has an invalid definition",
    async (transport) => {
      const { host, output } = await openHost({
        gone: remoteEntry("http://127.0.0.1:1/mcp", transport),
        unsendable: {
          ...remoteEntry("http://127.0.0.1:1/mcp", transport),
          headers: { "x-key": `${SECRETS.header}\n` },
        },
        nowhere: { transport, url: `nonsense ${SECRETS.query}` },
        unset: { transport, url: "http://127.0.0.1:1", headers: { "x-key": `${SECRETS.header}\${NOT_SET_ANYWHERE}` } },
      });
      await captureError(output, () => host.tools.call("gone:any", {}));
      await expectNoLeaks(host, output);
    },
  );

  it("leaks no secret of a process that prints its environment and exits", async () => {
    const print = "console.error(JSON.stringify(process.env), process.argv.join(' ')); process.exit(1)";
    const env = { API_KEY: "${CANARY}", DATABASE_URL: `postgres://me:${SECRETS.password}@localhost:5432/db` };
    const { host, output } = await openHost({
      s: { command: process.execPath, args: ["-e", print, "--", "--api-key", SECRETS.option], env },
    });
    await captureError(output, () => host.servers.connect("s"));
    expect(output.at(-1)).toMatchObject({
      code: "SERVER_CRASHED",
      message: expect.stringContaining("localhost:5432") as string,
    });
    await expectNoLeaks(host, output);
  });

  it("leaks no secret of a process that prints its environment and never answers", async () => {
    const print = "console.error(JSON.stringify(process.env)); setInterval(() => {}, 1000)";
    const { host, output } = await openHost({
      s: { command: process.execPath, args: ["-e", print], env: { API_KEY: "${CANARY}" }, startup_timeout_ms: 1000 },
    });
    expect(host.status()).toMatchObject([{ lastError: { code: "SERVER_NOT_RESPONDING" } }]);
    await expectNoLeaks(host, output);
  });

  it("leaks no secret of a process that can't be started", async () => {
    const env = { API_KEY: "${CANARY}" };
    const args = ["--api-key", SECRETS.option];
    const { host, output } = await openHost({
      missing: { command: "no-such-command-here", args, env },
      broken: { command: process.execPath, args: [`nul\0${SECRETS.option}`], env },
      nowhere: { command: process.execPath, args, env, cwd: "/no/such/folder" },
    });
    await expectNoLeaks(host, output);
  });

  it("leaks no secret of a call that is denied, cancelled, invalid or crashes the server", async () => {
    const { host, output } = await openHost(
      { s: { ...scriptedLegacy(), env: { API_KEY: "${CANARY}" } } },
      { permissions: { allow: ["s:echo", "s:crash", "s:hold"], deny: ["s:env"] } },
    );
    const given = { text: { of: SECRETS.argument }, [SECRETS.argument]: SECRETS.argument };
    await captureError(output, () => host.tools.call("s:env", given));
    await captureError(output, () => host.tools.call("s:progress", given));
    await captureError(output, () => host.tools.call("s:no_such_tool", given));
    await captureError(output, () => host.tools.call("s:echo", given));
    await captureError(output, () => host.tools.call("s:hold", given, { signal: AbortSignal.timeout(50) }));
    await captureError(output, () => host.tools.call("s:crash", given));
    expect(output.map((error) => (error as { code?: string }).code)).toEqual(
      expect.arrayContaining(["TOOL_DENIED", "NOBODY_TO_ASK", "TOOL_NOT_FOUND", "CANCELLED", "SERVER_CRASHED"]),
    );
    await expectNoLeaks(host, output);
  });

  it("leaks no secret of a question or its answer to anybody but the user", async () => {
    const answers: Answer[] = [
      { type: "permission", decision: "no", reason: "harmless" },
      { type: "permission", decision: "once" },
      { type: "elicitation", action: "accept", content: { name: SECRETS.argument } },
    ];
    const answer = () => Promise.resolve(answers.shift());
    const { host, output } = await openHost({ s: scriptedLegacy() }, { permissions: {}, ports: { answer } });
    await captureError(output, () => host.tools.call("s:ask", { text: SECRETS.argument }));
    await captureError(output, () => host.tools.call("s:ask", { text: SECRETS.argument }));
    expect(answers).toEqual([]);
    await expectNoLeaks(host, output);
  });

  it("leaks no secret in its state files: approvals, decisions, catalogs, long results, journal", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-leak-project-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const entry = { ...scriptedLegacy(), env: { API_KEY: "${CANARY}" }, start: "lazy" };
    await writeFile(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { s: entry } }));
    const answers: Answer[] = [
      { type: "trust", decision: "yes" },
      { type: "permission", decision: "always" },
    ];
    const answer = () => Promise.resolve(answers.shift());
    const { host, output } = await openHost(
      {},
      { cwd: folder, config: ["project"], permissions: {}, ports: { answer } },
    );
    const result = await host.tools.call("s:env", { text: SECRETS.argument });
    await host.tools.forModel("s:env", result, { limitBytes: 1 });
    expect(answers).toEqual([]);
    const filesWhileOpen = await readdir(join(stateFolders.get(host)!, "plugboard"), { recursive: true });
    await expectNoLeaks(host, output);
    expect(filesWhileOpen.map((name) => name.split("/")[0])).toEqual(
      expect.arrayContaining(["trust.json", "decisions.json", "outputs"]),
    );
    const filesAfterClose = await readdir(join(stateFolders.get(host)!, "plugboard"), { recursive: true });
    for (const file of [/^catalog\/./, /^activity\/./, /^outputs\/./]) {
      expect(filesAfterClose).toContainEqual(expect.stringMatching(file));
    }
  });

  it("leaks no secret in the problems of an invalid config", async () => {
    const servers = {
      s: { url: 5, headers: { "x-key": SECRETS.header }, env: { A: SECRETS.env }, api_kei: SECRETS.token },
    };
    const { host, output } = await openHost(servers as unknown as CreateHostOptions["servers"]);
    expect(host.config.problems()).not.toEqual([]);
    await expectNoLeaks(host, output);
  });
});

interface OpenedHost {
  readonly host: EmbeddedHost;
  /** All errors and output so far. */
  readonly output: unknown[];
}

async function openHost(servers: CreateHostOptions["servers"], options: CreateHostOptions = {}): Promise<OpenedHost> {
  const stateFolder = await mkdtemp(join(tmpdir(), "plugboard-leak-"));
  onTestFinished(() => rm(stateFolder, { recursive: true, force: true }));
  const env = {
    PATH: process.env["PATH"],
    XDG_CONFIG_HOME: "/nonexistent",
    XDG_STATE_HOME: stateFolder,
    CANARY: SECRETS.env,
  };
  const output: unknown[] = captureProcessOutput();
  const spans = captureSpans();
  const host = await createHost({ ...(servers && { servers }), permissions: { allow: ["*"] }, env, ...options });
  onTestFinished(() => host.close());
  output.push((await host.ready()).errors);
  stateFolders.set(host, stateFolder);
  spanExporters.set(host, spans);
  return { host, output };
}

const stateFolders = new WeakMap<EmbeddedHost, string>();
const spanExporters = new WeakMap<EmbeddedHost, InMemorySpanExporter>();

/** Closes the host and searches its status, events, metrics, spans and files for secrets. */
async function expectNoLeaks(host: EmbeddedHost, output: unknown[]): Promise<void> {
  const commandLines = await readOwnCommandLines();
  const problems = host.config.problems();
  const status = host.status();
  const events: HostEvent[] = [];
  const metrics = host.activity.metrics();
  const stats = await host.activity.stats({ by: "tool" });
  await host.close();
  for await (const event of host.events(0)) events.push(event);
  const everything = {
    output,
    problems,
    status,
    events: events.map(withoutQuestionContent),
    journal: events.map(toJournalEntry),
    metrics,
    stats,
    spans: spanExporters
      .get(host)!
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    files: await readFilesUnder(stateFolders.get(host)!),
  };
  for (const [where, value] of Object.entries(everything)) {
    for (const text of [JSON.stringify(value), inspect(value, { depth: null, maxStringLength: null })]) {
      expect(leaksIn(text), `${where}: ${text.slice(0, 4000)}`).toEqual([]);
    }
  }
  // The secret `option` is an argument of the server process, so the command line has to contain it.
  expect(leaksIn(commandLines).filter((where) => where !== "option")).toEqual([]);
}

/** Returns the names of the secrets that the text contains a piece of. */
function leaksIn(text: string): string[] {
  return [...new Set(SECRET_PIECES.filter(({ piece }) => text.includes(piece)).map(({ where }) => where))];
}

/** Removes the content of questions, which only their owner sees. */
function withoutQuestionContent(event: HostEvent): unknown {
  const { type } = event;
  return type === "question.asked" || type === "question.settled" ? { type } : event;
}

function remoteEntry(url: string, transport: "http" | "sse" | "websocket"): ServerEntry {
  const { host, pathname } = new URL(url);
  const scheme = transport === "websocket" ? "ws" : "http";
  return {
    transport,
    url: `${scheme}://me:${SECRETS.password}@${host}${pathname}?key=${SECRETS.query}`,
    headers: { "x-key": SECRETS.header, authorization: `Bearer ${SECRETS.token}` },
    startup_timeout_ms: 3000,
  };
}

/** Returns a text with all secrets of a request. */
function secretsIn({ path, headers, body }: ScriptedRequest): string {
  const { password } = SECRETS;
  return `${path} ${headers["x-key"] as string} ${headers.authorization} ${password} ${btoa(`me:${password}`)} ${body}`.replaceAll(
    /["\\\r\n]/g,
    "'",
  );
}

function respondWithText(
  request: ScriptedRequest,
  response: ServerResponse,
  status: number,
  headers: { [name: string]: string } = {},
): void {
  response.writeHead(status, { "content-type": "text/plain", ...headers }).end(`You sent ${secretsIn(request)}`);
}

function respondWithError(request: ScriptedRequest, response: ServerResponse, status: number): void {
  const { id } = JSON.parse(request.body || "{}") as JsonObject;
  const error = {
    code: -32000,
    message: `You sent ${secretsIn(request)}`,
    data: { all: [request.headers, secretsIn(request)] },
  };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
}

const RESULTS: { readonly [method: string]: JsonObject } = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } },
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
};

/** Starts a WebSocket server that accepts a connection and closes it with secrets in the close reason. */
async function startClosingWebSocket(): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (head) => {
      const key = /sec-websocket-key: (.*)\r\n/i.exec(head.toString("latin1"))?.[1] ?? "";
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      const reason = Buffer.from(`no: ${SECRETS.header} ${SECRETS.token}`);
      socket.write(
        `HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.end(Buffer.concat([Buffer.from([0x88, reason.length + 2, 0x03, 0xf0]), reason]));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
