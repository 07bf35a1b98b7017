// @ts-check
/**
 * Writes docs/openapi.json, which describes the control API. Generated from the method lists in packages/contracts; a
 * test fails if the file does not match.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT_METHODS } from "../../packages/contracts/dist/api/chat/chat-methods.js";
import { CONTROL_API_PATH, controlPaths } from "../../packages/contracts/dist/api/host/control-protocol.js";
import { HOST_METHODS } from "../../packages/contracts/dist/api/host/host-methods.js";
import { OPERATION_METHODS } from "../../packages/contracts/dist/api/operations/operations.js";
import { hasRight } from "../../packages/contracts/dist/api/rights/rights.js";
import { WORKSPACE_METHODS } from "../../packages/contracts/dist/api/workspace/workspace-methods.js";
import { isProgram, root, runTool } from "../run.mjs";
import { TypeSchemas } from "./type-schemas.mjs";

/** @typedef {import("./type-schemas.mjs").Schema} Schema */

export const openApiFile = join(root, "docs", "openapi.json");

const INTRODUCTION = `Controls a running Plugboard host. The same methods are available in TypeScript as \`HostApi\`.

Open a channel first, and keep reading its stream: your caller and your workspaces live as long as that stream. Open a workspace on the channel,
then call its methods. The arguments of a method are the items of a JSON list.

On the port of \`plugboard serve\`, send the owner's token (\`plugboard token show\`). There, you are the caller \`api\`, the workspace is the served one,
and the methods that need the page or the socket are refused ([rights.md](rights.md)). On the socket in the state folder you need no token.`;

/** @returns {object} */
export function openApiDocument() {
  const types = new TypeSchemas({ folders: ["packages/contracts/src"], path: "#/components/schemas/" });
  const error = { type: "object", required: ["error"], properties: { error: types.reference("HostErrorJson") } };
  const errorResponse = {
    description: "An error. docs/errors.md describes the codes.",
    content: { "application/json": { schema: error } },
  };
  /**
   * @param {{ readonly [path: string]: import("../../packages/contracts/dist/api/methods/method-spec.js").MethodSpec }} methods
   * @param {string} owner the interface that declares the methods
   * @param {string} tag the first part of their names
   * @param {(channel: string, method: string) => string} urlOf
   */
  const describeAll = (methods, owner, tag, urlOf) =>
    Object.fromEntries(
      Object.entries(methods).map(([path, spec]) => {
        const operation = describe(types.method(owner, path.slice(tag.length + 1)), spec, types);
        const post = { operationId: path, tags: [tag], ...operation, parameters: [channelParameter] };
        return [urlOf("{channel}", path), { post }];
      }),
    );
  const paths = {
    "/healthz": { get: { summary: "Says that the host is running.", security: [], responses: ok({ type: "object" }) } },
    "/metrics": {
      get: {
        summary: "The metrics in the Prometheus text format.",
        responses: { 200: { description: "The metrics.", content: { "text/plain": { schema: { type: "string" } } } } },
      },
    },
    [controlPaths.feed]: {
      get: {
        summary: "Streams the snapshot of the served workspace, then events, without a channel.",
        description: "The first event is named `snapshot`. Each other event has the name of its type.",
        parameters: [cwdParameter],
        responses: stream({ anyOf: [types.reference("Snapshot"), types.reference("HostEvent")] }),
      },
    },
    [controlPaths.channels]: {
      post: {
        summary: "Opens a channel, which ends when you close this stream. Also opens a workspace if one is given.",
        requestBody: json({
          type: "object",
          required: ["kind"],
          properties: {
            kind: types.reference("CallerKind"),
            attended: { type: "boolean", description: "True if a user answers the questions of this caller." },
            watchesInbox: { type: "boolean", description: "True if a user answers the questions of other callers." },
            workspace: types.reference("WorkspaceSpec"),
            events: { type: "boolean", description: "True if the stream also has the events of the host." },
          },
        }),
        responses: stream({ anyOf: [types.reference("ChannelOpened"), types.reference("HostEvent")] }),
      },
    },
    [controlPaths.events("{channel}", undefined)]: {
      get: {
        summary: "Streams the events of the host.",
        parameters: [
          channelParameter,
          {
            name: "after",
            in: "query",
            description: "Yields the stored events after this sequence number first.",
            schema: { type: "integer" },
          },
        ],
        responses: stream(types.reference("HostEvent")),
      },
    },
    [controlPaths.workspaces("{channel}")]: {
      post: {
        summary: "Opens a workspace: reads its config and starts no server.",
        parameters: [channelParameter],
        requestBody: json(types.reference("WorkspaceSpec")),
        responses: ok(types.reference("WorkspaceOpened")),
      },
    },
    ...Object.fromEntries(
      Object.entries(WORKSPACE_METHODS).map(([path, spec]) => {
        const [group, name] = path.includes(".") ? path.split(".") : [undefined, path];
        const owner = group === undefined ? "Workspace" : types.typeOfProperty("Workspace", group);
        const operation = {
          operationId: path,
          tags: [group ?? "workspace"],
          ...describe(types.method(owner, name), spec, types),
        };
        const url = controlPaths.invoke("{channel}", "{workspace}", path);
        return [url, { post: { ...operation, parameters: [channelParameter, workspaceParameter] } }];
      }),
    ),
    [controlPaths.chatWorkspace("{channel}", "{chat}")]: {
      post: {
        summary: "Opens the workspace of a chat that you watch.",
        parameters: [channelParameter, chatParameter],
        responses: ok(types.reference("WorkspaceOpened")),
      },
    },
    ...describeAll(CHAT_METHODS, "Chats", "chats", controlPaths.chats),
    ...describeAll(HOST_METHODS, "HostControl", "host", controlPaths.host),
    ...describeAll(OPERATION_METHODS, "Operations", "operations", controlPaths.operations),
  };
  return {
    openapi: "3.1.0",
    info: { title: "Plugboard control API", version: CONTROL_API_PATH.split("/").at(-1), description: INTRODUCTION },
    servers: [{ url: "http://127.0.0.1:7431" }],
    security: [{ bearer: [] }],
    paths: withErrors(paths),
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      parameters,
      responses: { Error: errorResponse },
      schemas: types.components,
    },
  };
}

const parameters = {
  channel: pathParameter("channel", "The id in the first event of the channel's stream."),
  chat: pathParameter("chat", "The id of the chat."),
  workspace: pathParameter("workspace", "The id of the opened workspace."),
};
const channelParameter = { $ref: "#/components/parameters/channel" };
const chatParameter = { $ref: "#/components/parameters/chat" };
const workspaceParameter = { $ref: "#/components/parameters/workspace" };
const cwdParameter = {
  name: "cwd",
  in: "query",
  description: "The folder of the workspace. By default the served one; on the socket it must be given.",
  schema: { type: "string" },
};

/**
 * @param {ReturnType<TypeSchemas["method"]>} method
 * @param {import("../../packages/contracts/dist/api/methods/method-spec.js").MethodSpec} spec
 * @param {TypeSchemas} types
 */
function describe({ description, parameters, result }, { right, params, progress }, types) {
  const items = params.map(({ schema }, index) => ({ title: parameters[index], ...schema }));
  const text = [description, doorNote(right)].filter(Boolean).join(" ");
  const resultSchema = result ?? { type: "null" };
  const seq = {
    type: "integer",
    description: "The host has sent the events up to this one on every event stream of the channel.",
  };
  const events = {
    anyOf: [
      { type: "object", required: ["progress"], properties: { progress: types.reference("Progress") } },
      { type: "object", required: ["result"], properties: { result: resultSchema, seq } },
      { type: "object", required: ["error"], properties: { error: types.reference("HostErrorJson"), seq } },
    ],
  };
  return {
    ...(text !== "" && { description: text }),
    requestBody: json({ type: "array", prefixItems: items, maxItems: items.length }),
    responses: progress ? stream(events) : ok(resultSchema),
  };
}

/**
 * Says through which doors a method can be called, unless it is open to all of them.
 * @param {import("../../packages/contracts/dist/api/rights/rights.js").Right} right
 */
function doorNote(right) {
  const doors = Object.entries(DOORS).flatMap(([holder, text]) =>
    hasRight(/** @type {keyof typeof DOORS} */ (holder), right) ? [text] : [],
  );
  return doors.length === Object.keys(DOORS).length ? "" : `Only for ${doors.join(", ")}.`;
}

const DOORS = {
  owner_token: "the owner's token",
  page: "the signed-in page",
  socket: "commands and programs on the socket",
  chat: "conversations",
};

/**
 * @param {string} name
 * @param {string} description
 */
function pathParameter(name, description) {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

/** @param {Schema} schema */
function json(schema) {
  return { required: true, content: { "application/json": { schema } } };
}

/** @param {Schema} schema */
function ok(schema) {
  return { 200: { description: "The result.", content: { "application/json": { schema } } } };
}

/** @param {Schema} schema the data of one event */
function stream(schema) {
  return { 200: { description: "Server-sent events.", content: { "text/event-stream": { schema } } } };
}

/**
 * Adds the error response to every operation.
 * @param {{ [path: string]: { [method: string]: any } }} paths
 */
function withErrors(paths) {
  const addError = (/** @type {any} */ operation) => ({
    ...operation,
    responses: { ...operation.responses, default: { $ref: "#/components/responses/Error" } },
  });
  return mapValues(paths, (methods) => mapValues(methods, addError));
}

/**
 * @template From, To
 * @param {{ [key: string]: From }} object
 * @param {(value: From) => To} change
 * @returns {{ [key: string]: To }}
 */
function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

if (isProgram(import.meta.url)) {
  writeFileSync(openApiFile, `${JSON.stringify(openApiDocument(), undefined, 2)}\n`);
  process.exitCode = runTool("oxfmt", [openApiFile]);
}
