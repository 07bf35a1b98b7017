/** Tests the errors of `plugboard call` with servers that fail, each in a process of its own. */
import { modernStdio, scriptedLegacy, startScriptedHttp } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";

interface PrintedError {
  readonly error: { readonly code: string; readonly message: string; readonly details: object };
}

/** Returns the exit status and the error that the command prints. */
async function fail(server: object, ...words: string[]) {
  const setup = await setUp({ mcpServers: { a: server } });
  const { status, stdout, stderr } = await runPipedProcess(setup, "call", ...words, "--json");
  return { status, ...(JSON.parse(stdout || stderr) as PrintedError).error };
}

describe("plugboard call fails with", () => {
  it(
    "SERVER_NOT_RESPONDING if the server starts but never answers",
    { meta: { covers: ["R0.59", "R0.62"] } },
    async () => {
      const server = { ...scriptedLegacy("--never-start"), startup_timeout_ms: 500 };
      expect(await fail(server, "a:echo", "text=hi")).toMatchObject({
        status: 3,
        code: "SERVER_NOT_RESPONDING",
        details: { server: "a", afterMs: 500 },
      });
    },
  );

  it(
    "SERVER_CRASHED and the exit code if the server ends during the call",
    { meta: { covers: ["R0.63"] } },
    async () => {
      expect(await fail(scriptedLegacy(), "a:crash")).toMatchObject({
        status: 3,
        code: "SERVER_CRASHED",
        details: { server: "a", exit: "exit code 3", stderr: "boom" },
      });
    },
  );

  it("INVALID_MESSAGE if the response can't be understood", { meta: { covers: ["R0.64"] } }, async () => {
    expect(await fail(scriptedLegacy(), "a:bad_envelope")).toMatchObject({
      status: 3,
      code: "INVALID_MESSAGE",
      details: { server: "a", reason: 'both "result" and "error"' },
    });
  });

  it("UNEXPECTED_RESPONSE if a web page answers the call", { meta: { covers: ["R0.65"] } }, async () => {
    const { url } = await startWebPageServer();
    expect(await fail({ url }, "a:go")).toMatchObject({
      status: 3,
      code: "UNEXPECTED_RESPONSE",
      details: { server: "a" },
    });
  });

  it(
    "REQUEST_TIMEOUT if the result does not come in time",
    { meta: { covers: ["R0.60", "R0.66", "R2.19", "R3.38"] } },
    async () => {
      expect(await fail({ ...scriptedLegacy(), request_timeout_ms: 300 }, "a:hold")).toMatchObject({
        status: 4,
        code: "REQUEST_TIMEOUT",
        details: { server: "a", method: "tools/call", afterMs: 300 },
      });
    },
  );

  it("TOOL_NOT_FOUND and the name of a tool that does not exist", { meta: { covers: ["R0.67"] } }, async () => {
    expect(await fail(scriptedLegacy(), "a:nothing")).toMatchObject({
      status: 2,
      code: "TOOL_NOT_FOUND",
      details: { tool: "a:nothing" },
    });
  });

  it(
    "TOOL_EXECUTION_FAILED and the words of a server that refuses",
    { meta: { covers: ["R0.27", "R0.68"] } },
    async () => {
      const { status, code, message, details } = await fail(modernStdio(), "a:throw");
      expect({ status, code, details }).toMatchObject({
        status: 4,
        code: "TOOL_EXECUTION_FAILED",
        details: { tool: "throw" },
      });
      expect(message).toContain("this tool always throws");
    },
  );
});

/** Starts a legacy server that answers every call with HTML, as a proxy in front of it might. */
async function startWebPageServer() {
  const results: { readonly [method: string]: object } = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "proxied", version: "1" },
    },
    "tools/list": { tools: [{ name: "go", inputSchema: { type: "object" } }] },
  };
  const server = await startScriptedHttp(({ body }, response) => {
    const { id, method = "" } = JSON.parse(body || "{}") as { id?: number; method?: string };
    if (method === "tools/call") {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>");
    } else if (id === undefined) {
      response.writeHead(body ? 202 : 405).end();
    } else {
      const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    }
  });
  onTestFinished(() => server.close());
  return server;
}
