// @ts-check
/**
 * Validates recorded messages (frames) with the official JSON Schemas, `<folder>/<revision>.json`. The schema's own
 * unions (ClientRequest, ServerNotification, …) define what a role may send. A message that a revision does not define
 * may be defined by an extension, `<folder>/*-extension.json`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/**
 * A frame as `packages/testkit/src/record-frames.ts` writes it.
 * @typedef {object} Frame
 * @property {string} revision
 * @property {"client" | "server"} role the sender
 * @property {string} [answers] for a response: the method of the request
 * @property {Record<string, unknown>} message
 */

/**
 * The methods of extensions without a schema: skills, and the extensions of test servers. Only the JSON-RPC envelope of
 * their messages is validated.
 */
const WITHOUT_SCHEMA = /^(skills|resources\/directory|notes|jobs)\//;

/** @typedef {{ properties?: Record<string, { const?: string }> }} Plain */
/** @typedef {Plain & { anyOf?: { $ref?: string }[], allOf?: Plain[] }} Definition */

/**
 * @typedef {object} Schema
 * @property {Record<string, Definition>} definitions
 * @property {(name: string, value: unknown) => string[]} problems of a value that should match a definition
 */

/**
 * @param {readonly Frame[]} frames
 * @param {string} folder
 * @returns {{ counts: { revision: string, method: string, count: number }[], violations: { problem: string, frame?: Frame }[] }}
 */
export function validateFrames(frames, folder) {
  if (frames.length === 0) return { counts: [], violations: [{ problem: "nothing was recorded" }] };
  /** @type {Map<string, Schema | undefined>} */
  const schemas = new Map();
  /** @type {Map<string, { revision: string, method: string, count: number }>} */
  const counts = new Map();
  const extensions = loadExtensions(folder);
  const violations = frames.flatMap((frame) => {
    const { revision } = frame;
    if (!schemas.has(revision)) schemas.set(revision, loadSchema(join(folder, `${revision}.json`)));
    const method = nameOf(frame);
    const row = counts.get(`${revision} ${method}`) ?? { revision, method, count: 0 };
    counts.set(`${revision} ${method}`, { ...row, count: row.count + 1 });
    const schema = schemas.get(revision);
    const isOwn = schema !== undefined && definesMethod(schema, frame);
    const extended = isOwn ? undefined : extensions.flatMap((one) => extensionProblems(frame, one) ?? [])[0];
    const problems = extended ?? (schema ? problemsOf(frame, schema) : [`no schema for revision ${revision}`]);
    return problems.map((problem) => ({ problem, frame }));
  });
  const sorted = [...counts.keys()].toSorted().flatMap((key) => counts.get(key) ?? []);
  return { counts: sorted, violations };
}

/**
 * Returns true if the revision itself defines the method. In this case, the schemas of extensions are not used. A
 * result that is a task is always defined by an extension.
 * @param {Schema} schema
 * @param {Frame} frame
 */
function definesMethod({ definitions }, { message, answers }) {
  if (Object(message["result"]).resultType === "task") return false;
  const method = message["method"] ?? answers;
  return Object.values(definitions).some(({ properties }) => properties?.["method"]?.const === method);
}

/** @param {Frame} frame */
function nameOf({ message, answers }) {
  if (typeof message["method"] === "string") return message["method"];
  return `${"error" in message ? "error" : "result"} of ${answers ?? "an unknown method"}`;
}

/**
 * @param {string} file
 * @returns {Schema | undefined}
 */
function loadSchema(file) {
  if (!existsSync(file)) return undefined;
  const schema = JSON.parse(readFileSync(file, "utf8"));
  const keyword = "$defs" in schema ? "$defs" : "definitions";
  const ajv = new (keyword === "$defs" ? Ajv2020 : Ajv)({ strict: false, allErrors: true });
  formats.default(ajv);
  if (schema[keyword].ElicitResult) schema[keyword].ElicitResult = withNumbers(schema[keyword].ElicitResult);
  ajv.addSchema(schema, "revision");
  return {
    definitions: schema[keyword],
    problems(name, value) {
      const validate = ajv.getSchema(`revision#/${keyword}/${name}`);
      if (!validate) return [`the revision has no ${name}`];
      void validate(value);
      return (validate.errors ?? []).map((error) => `${name}${error.instancePath}: ${error.message}`);
    },
  };
}

/**
 * Allows fractions in the values of a form. The official schemas allow only integers there, though a form may ask for a
 * `number`, whose default may be a fraction.
 * @param {object} definition
 */
function withNumbers(definition) {
  return JSON.parse(JSON.stringify(definition).replaceAll('"integer"', '"number"'));
}

/**
 * @param {Frame} frame
 * @param {Schema} schema
 */
function problemsOf({ role, answers, message }, schema) {
  const [sender, receiver] = role === "client" ? ["Client", "Server"] : ["Server", "Client"];
  if (WITHOUT_SCHEMA.test(String(message["method"]))) return schema.problems("JSONRPCRequest", message);
  if (WITHOUT_SCHEMA.test(answers ?? "") && "result" in message) {
    return schema.problems(envelope(schema, "JSONRPCResultResponse", "JSONRPCResponse"), message);
  }
  if ("method" in message) {
    const kind = "id" in message ? "Request" : "Notification";
    const definition = definitionOf(schema, `${sender}${kind}`, message["method"]);
    if (!definition) return [`${sender}${kind} has no method ${String(message["method"])}`];
    return [...schema.problems(`JSONRPC${kind}`, message), ...schema.problems(definition, message)];
  }
  if ("result" in message === "error" in message) return ["neither a request nor a response with one outcome"];
  if ("error" in message) return schema.problems(envelope(schema, "JSONRPCErrorResponse", "JSONRPCError"), message);
  const definition = definitionOf(schema, `${receiver}Request`, answers);
  if (!definition) return [`a result for ${String(answers)}, which is not in ${receiver}Request`];
  return [
    ...schema.problems(envelope(schema, "JSONRPCResultResponse", "JSONRPCResponse"), message),
    ...schema.problems(resultOf(schema, definition, message["result"]), message["result"]),
  ];
}

/** @param {string} folder */
function loadExtensions(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith("-extension.json"));
  return files.flatMap((file) => loadSchema(join(folder, file)) ?? []);
}

/**
 * Returns undefined if the extension does not define the message. Otherwise returns a list whose only element is the
 * list of the message's problems, which may be empty.
 * @param {Frame} frame
 * @param {Schema} extension
 * @returns {string[][] | undefined}
 */
function extensionProblems({ role, message, answers }, extension) {
  if (role === "server" && "result" in message) {
    const { result } = message;
    const isTask = answers === "tools/call" && Object(result).resultType === "task";
    const request = isTask ? "CreateTaskRequest" : extensionDefinition(extension, answers);
    return request?.endsWith("Request")
      ? [extension.problems(request.replace(/Request$/, "Result"), result)]
      : undefined;
  }
  if (!("method" in message)) return undefined;
  const definition = extensionDefinition(extension, message["method"]);
  const kind = "id" in message ? "Request" : "Notification";
  const isAllowed = definition?.endsWith(kind) && (role === "client") === (kind === "Request");
  return definition && isAllowed ? [extension.problems(definition, message)] : undefined;
}

/**
 * @param {Schema} extension
 * @param {unknown} method
 */
function extensionDefinition({ definitions }, method) {
  return Object.keys(definitions).find((name) => {
    const { properties, allOf = [] } = definitions[name] ?? {};
    return [{ properties }, ...allOf].some(
      (part) => part.properties?.["method"]?.const === method && method !== undefined,
    );
  });
}

/**
 * Returns the name of a method's definition in a union. A union with one member is written as that member.
 * @param {Schema} schema
 * @param {string} union
 * @param {unknown} method
 */
function definitionOf({ definitions }, union, method) {
  const members = definitions[union]?.anyOf?.map(({ $ref = "" }) => $ref.split("/").at(-1) ?? "") ?? [union];
  return members.find((name) => {
    const declared = definitions[name]?.properties?.["method"]?.const;
    return declared !== undefined && declared === method;
  });
}

/**
 * Returns the name of a result's definition: CallToolResult for CallToolRequest, or EmptyResult. If a server may also
 * answer with InputRequiredResult, `resultType` decides, because the union of both would accept an incomplete result.
 * @param {Schema} schema
 * @param {string} request
 * @param {unknown} result
 */
function resultOf({ definitions }, request, result) {
  const name = request.replace(/Request$/, "Result");
  const response = definitions[`${name}Response`]?.properties?.["result"];
  const mayAsk = JSON.stringify(response ?? {}).includes("/InputRequiredResult");
  const asks = Object(result).resultType === "input_required";
  if (asks && mayAsk) return "InputRequiredResult";
  // A revision that defines tasks itself has no union of a tool's result and a task.
  if (name === "CallToolResult" && "CreateTaskResult" in definitions && Object(result).task) return "CreateTaskResult";
  return name in definitions ? name : "EmptyResult";
}

/**
 * @param {Schema} schema
 * @param {string} current
 * @param {string} older the name in the first revisions
 */
function envelope({ definitions }, current, older) {
  return current in definitions ? current : older;
}
