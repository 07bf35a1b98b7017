// @ts-check
/** What the conformance client does in each scenario, once it is connected. The engine has listed the tools by then. */

/** @import { Tool } from "@plugboard/contracts" */
/** @import { Ask, AskAnswer, Op, Outcome, Session } from "@plugboard/mcp" */

/**
 * @typedef {object} Given
 * @property {Session} session
 * @property {readonly Tool[]} tools those the engine kept
 * @property {{ toolCalls?: { name: string, arguments: import("@plugboard/contracts").JsonObject }[] }} context
 */

/** @type {{ readonly [scenario: string]: (given: Given) => Promise<void> | void }} */
export const BEHAVIOURS = {
  initialize: () => {},

  tools_call: ({ session }) => call(session, "add_numbers", { a: 2, b: 3 }),

  "elicitation-sep1034-client-defaults": ({ session }) => call(session, "test_client_elicitation_defaults"),

  "sse-retry": ({ session }) => call(session, "test_reconnection"),

  "json-schema-2020-12-preservation": ({ session, tools }) => {
    const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema ?? {};
    return call(session, "json_schema_echo", { schema });
  },

  "json-schema-ref-no-deref": ({ tools }) => {
    if (tools.length === 0) throw new Error("the tool with a $ref was dropped");
  },

  // The server offers no tool but answers every call; a call declares what its caller can be asked.
  "request-metadata": ({ session }) => call(session, "any"),

  "sep-2322-client-request-state": async ({ session }) => {
    const asks = await request(session, {
      method: "tools/call",
      params: { name: "test_mrtr_echo_state", arguments: {} },
    });
    await call(session, "test_mrtr_unrelated");
    await finish(asks);
    await call(session, "test_mrtr_no_state");
    await call(session, "test_mrtr_no_result_type");
  },

  "http-standard-headers": async ({ session, tools }) => {
    for (const { name } of tools) await call(session, name);
    const { resources } = await finish(await request(session, { method: "resources/list", params: {} }));
    for (const { uri } of list(resources)) {
      await finish(await request(session, { method: "resources/read", params: { uri } }));
    }
    const { prompts } = await finish(await request(session, { method: "prompts/list", params: {} }));
    for (const { name } of list(prompts)) {
      await finish(await request(session, { method: "prompts/get", params: { name } }));
    }
  },

  "http-custom-headers": async ({ session, context }) => {
    for (const { name, arguments: args } of context.toolCalls ?? []) await call(session, name, args);
  },

  "http-invalid-tool-headers": async ({ session, tools }) => {
    for (const { name } of tools) await call(session, name, { region: "us-west1" });
  },
};

/**
 * Says yes, with what the server suggests.
 * @param {Ask} ask
 * @returns {AskAnswer}
 */
export function acceptWithDefaults(ask) {
  if (ask.type === "sampling") {
    const content = { type: "text", text: "4" };
    return { action: "sampled", result: { role: "assistant", model: "none", content } };
  }
  const { elicitation } = ask;
  if (elicitation.mode === "url") return { action: "accept" };
  const filled = elicitation.fields.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  return { action: "accept", content: Object.fromEntries(filled) };
}

/**
 * @param {Session} session
 * @param {string} name
 * @param {import("@plugboard/contracts").JsonObject} [args]
 */
async function call(session, name, args = {}) {
  await finish(await request(session, { method: "tools/call", params: { name, arguments: args } }));
}

/**
 * @param {Session} session
 * @param {Op} op
 */
function request(session, op) {
  const caller = /** @type {const} */ ({ kind: "program", id: "conformance" });
  return session.request(op, { caller, timeoutMs: 10_000, maxMs: 20_000, elicitation: true, sampling: true });
}

/**
 * Answers what is asked until the request is complete; anything else is a failure.
 * @param {Outcome} outcome
 */
async function finish(outcome) {
  let current = outcome;
  while (current.type === "asks") {
    const answers = Object.entries(current.asks).map(([key, ask]) => [key, acceptWithDefaults(ask)]);
    current = await current.resume(Object.fromEntries(answers), {});
  }
  if (current.type === "complete") return current.result;
  throw current.type === "failed" ? current.error : new Error(`unexpected outcome: ${current.type}`);
}

/**
 * @param {unknown} value
 * @returns {{ name: string, uri: string }[]}
 */
function list(value) {
  if (!Array.isArray(value) || value.length === 0) throw new Error("nothing is listed");
  return value;
}
