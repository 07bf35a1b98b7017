/** Tests the validation of frames with small schemas, in both layouts of the official schemas. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Frame, validateFrames } from "../checks/validate-frames.mjs";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wire-schemas-"));
  writeFileSync(join(folder, "1999-01-01.json"), JSON.stringify(oldSchema));
  writeFileSync(join(folder, "2099-01-01.json"), JSON.stringify(newSchema));
  writeFileSync(join(folder, "chores-extension.json"), JSON.stringify(extension));
});
afterAll(() => rmSync(folder, { recursive: true }));

const object = (properties: object, ...required: string[]) => ({ type: "object", properties, required });
const union = (prefix: string, ...names: string[]) => ({ anyOf: names.map((name) => ({ $ref: `${prefix}/${name}` })) });
const id = { type: ["string", "integer"] };
const jsonrpc = { const: "2.0" };
const envelopes = {
  JSONRPCRequest: object({ jsonrpc, id }, "jsonrpc", "id"),
  JSONRPCNotification: object({ jsonrpc }, "jsonrpc"),
};
const error = object({ code: { type: "integer" }, message: { type: "string" } }, "code", "message");

const oldSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  definitions: {
    ...envelopes,
    JSONRPCResponse: object({ jsonrpc, id, result: { type: "object" } }, "jsonrpc", "id", "result"),
    JSONRPCError: object({ jsonrpc, id, error }, "jsonrpc", "id", "error"),
    ClientRequest: union("#/definitions", "PingRequest", "FetchRequest", "OldChoreRequest", "CallToolRequest"),
    OldChoreRequest: object({ method: { const: "chores/do" } }, "method"),
    CallToolRequest: object({ method: { const: "tools/call" } }, "method"),
    CallToolResult: object({ content: { type: "array" } }, "content"),
    CreateTaskResult: object({ task: object({ taskId: { type: "string" } }, "taskId") }, "task"),
    ServerRequest: union("#/definitions", "PingRequest", "AskRequest", "ElicitRequest"),
    ClientNotification: union("#/definitions", "DoneNotification"),
    PingRequest: object({ method: { const: "ping" } }, "method"),
    EmptyResult: { type: "object" },
    FetchRequest: object(
      { method: { const: "fetch" }, params: { $ref: "#/definitions/FetchParams" } },
      "method",
      "params",
    ),
    FetchParams: object({ url: { type: "string", format: "uri" } }, "url"),
    AskRequest: object({ method: { const: "ask" } }, "method"),
    AskResult: object({ action: { enum: ["accept", "decline"] } }, "action"),
    ElicitRequest: object({ method: { const: "elicitation/create" } }, "method"),
    ElicitResult: object({ content: { additionalProperties: { type: ["string", "integer"] } } }),
    DoneNotification: object({ method: { const: "notifications/done" } }, "method"),
  },
};

const newSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $defs: {
    ...envelopes,
    JSONRPCResultResponse: object({ jsonrpc, id, result: { type: "object" } }, "jsonrpc", "id", "result"),
    JSONRPCErrorResponse: object({ jsonrpc, id, error }, "jsonrpc", "error"),
    ClientRequest: union("#/$defs", "FetchRequest"),
    ClientNotification: object({ jsonrpc, method: { const: "notifications/done" } }, "jsonrpc", "method"),
    FetchRequest: object({ method: { const: "fetch" } }, "method"),
    FetchResult: object({ body: { type: "string" }, resultType: { type: "string" } }, "body", "resultType"),
    FetchResultResponse: object({ result: union("#/$defs", "InputRequiredResult", "FetchResult") }),
    InputRequiredResult: object({ resultType: { type: "string" }, requestState: { type: "string" } }, "resultType"),
  },
};

const extension = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $defs: {
    ...envelopes,
    DoChoreRequest: {
      allOf: [{ $ref: "#/$defs/JSONRPCRequest" }, object({ method: { const: "chores/do" }, params: {} }, "params")],
    },
  },
};

/** Makes a frame, by default of the old revision and sent by a client. */
function frame(message: Record<string, unknown>, rest: Partial<Frame> = {}): Frame {
  return { revision: "1999-01-01", role: "client", ...rest, message: { jsonrpc: "2.0", ...message } };
}

function problems(message: Record<string, unknown>, rest: Partial<Frame> = {}): string[] {
  return validateFrames([frame(message, rest)], folder).violations.map(({ problem }) => problem);
}

const modern = { revision: "2099-01-01" };
const url = "https://example.org/";

describe("validateFrames", () => {
  it.each<[string, Record<string, unknown>, Partial<Frame>]>([
    ["a request", { id: 1, method: "fetch", params: { url } }, {}],
    ["a request of either role", { id: 1, method: "ping" }, { role: "server" }],
    ["a notification", { method: "notifications/done" }, {}],
    ["a result", { id: 1, result: { action: "accept" } }, { answers: "ask" }],
    ["an empty result", { id: 1, result: {} }, { answers: "ping" }],
    ["a fraction in a form", { id: 1, result: { content: { score: 9.5 } } }, { answers: "elicitation/create" }],
    ["a request of an extension without a schema", { id: 1, method: "jobs/show" }, {}],
    ["an error, even for an unknown method", { id: 1, error: { code: -32601, message: "no" } }, { answers: "what" }],
    ["a notification whose union has one member", { method: "notifications/done" }, modern],
    [
      "a complete result",
      { id: 1, result: { resultType: "complete", body: "" } },
      { ...modern, role: "server", answers: "fetch" },
    ],
    [
      "a result that requires input",
      { id: 1, result: { resultType: "input_required" } },
      { ...modern, role: "server", answers: "fetch" },
    ],
    ["an error without an id", { error: { code: -32700, message: "no" } }, modern],
    ["a request of the revision that an extension has in another form", { id: 1, method: "chores/do" }, {}],
    ["a task of the revision", { id: 1, result: { task: { taskId: "1" } } }, { role: "server", answers: "tools/call" }],
    ["a request of an extension", { id: 1, method: "chores/do", params: {} }, modern],
  ])("accepts %s", (_name, message, rest) => {
    expect(problems(message, rest)).toEqual([]);
  });
});

describe("validateFrames for an invalid frame", () => {
  it.each<[string, Record<string, unknown>, Partial<Frame>, string]>([
    [
      "a wrong request of an extension",
      { id: 1, method: "chores/do" },
      modern,
      "DoChoreRequest: must have required property 'params'",
    ],
    ["missing params", { id: 1, method: "fetch" }, {}, "FetchRequest: must have required property 'params'"],
    ["a wrong type", { id: 1, method: "fetch", params: { url: 1 } }, {}, "FetchRequest/params/url: must be string"],
    [
      "a wrong format",
      { id: 1, method: "fetch", params: { url: "x" } },
      {},
      'FetchRequest/params/url: must match format "uri"',
    ],
    [
      "a wrong envelope",
      { jsonrpc: "1.0", id: 1, method: "ping" },
      {},
      "JSONRPCRequest/jsonrpc: must be equal to constant",
    ],
    ["an unknown method", { id: 1, method: "what" }, {}, "ClientRequest has no method what"],
    ["a method of the other role", { id: 1, method: "ask" }, {}, "ClientRequest has no method ask"],
    ["a request sent as a notification", { method: "ping" }, {}, "ClientNotification has no method ping"],
    ["an unknown revision", { id: 1, method: "ping" }, { revision: "2000-01-01" }, "no schema for revision 2000-01-01"],
    [
      "a wrong result",
      { id: 1, result: { action: "x" } },
      { answers: "ask" },
      "AskResult/action: must be equal to one of the allowed values",
    ],
    [
      "a wrong value in a form",
      { id: 1, result: { content: { score: {} } } },
      { answers: "elicitation/create" },
      "ElicitResult/content/score: must be string,number",
    ],
    [
      "a wrong task of the revision",
      { id: 1, result: { task: {} } },
      { role: "server", answers: "tools/call" },
      "CreateTaskResult/task: must have required property 'taskId'",
    ],
    ["a result without a request", { id: 1, result: {} }, {}, "a result for undefined, which is not in ServerRequest"],
    [
      "a client's result in an era without server requests",
      { id: 1, result: {} },
      modern,
      "a result for undefined, which is not in ServerRequest",
    ],
    [
      "a result and an error together",
      { id: 1, result: {}, error: {} },
      { answers: "ping" },
      "neither a request nor a response with one outcome",
    ],
    [
      "a response without result and error",
      { id: 1 },
      { answers: "ping" },
      "neither a request nor a response with one outcome",
    ],
    ["a wrong error", { id: 1, error: { code: "x", message: "" } }, {}, "JSONRPCError/error/code: must be integer"],
    [
      "a server's request in an era without such requests",
      { id: 1, method: "ask" },
      { ...modern, role: "server" },
      "ServerRequest has no method ask",
    ],
    [
      "an incomplete result of type complete",
      { id: 1, result: { resultType: "complete" } },
      { ...modern, role: "server", answers: "fetch" },
      "FetchResult: must have required property 'body'",
    ],
  ])("rejects %s", (_name, message, rest, problem) => {
    expect(problems(message, rest)).toContain(problem);
  });
});

it("validateFrames rejects an empty recording", () => {
  expect(validateFrames([], folder).violations).toEqual([{ problem: "nothing was recorded" }]);
});

it("validateFrames counts by revision and method, and names the invalid frame", () => {
  const bad = frame({ id: 2, method: "fetch" });
  const done = frame({ method: "notifications/done" }, modern);
  const { counts, violations } = validateFrames(
    [done, frame({ id: 1, method: "fetch", params: { url } }), bad],
    folder,
  );
  expect(counts).toEqual([
    { revision: "1999-01-01", method: "fetch", count: 2 },
    { revision: "2099-01-01", method: "notifications/done", count: 1 },
  ]);
  expect(violations).toEqual([{ problem: "FetchRequest: must have required property 'params'", frame: bad }]);
});

it.each([[[]], [["no/such/folder"]]])("check-wire rejects the arguments %o", (args) => {
  const script = fileURLToPath(new URL("../checks/check-wire.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("usage:");
});
