// @ts-check
/** The actions of the conformance client in each scenario without a login. */

/** @import { JsonObject } from "@plugboard/contracts" */
/** @import { EmbeddedHost } from "@plugboard/host" */
/** @import { Scenario } from "./client.mjs" */

/** @type {{ readonly [scenario: string]: Scenario }} */
export const BEHAVIOURS = {
  initialize: { run: () => {} },

  tools_call: { run: (host) => call(host, "add_numbers", { a: 2, b: 3 }) },

  "elicitation-sep1034-client-defaults": { run: (host) => call(host, "test_client_elicitation_defaults") },

  "sse-retry": { run: (host) => call(host, "test_reconnection") },

  "json-schema-2020-12-preservation": {
    run: (host) => {
      const schema = host.tools.list().find(({ tool }) => tool === "json_schema_2020_12_tool")?.inputSchema ?? {};
      return call(host, "json_schema_echo", { schema });
    },
  },

  "json-schema-ref-no-deref": {
    run: (host) => {
      if (toolsOf(host).length === 0) throw new Error("the tool with a $ref was dropped");
    },
  },

  "request-metadata": { run: () => {} },

  "sep-2322-client-request-state": {
    beforeAnswer: (host) => call(host, "test_mrtr_unrelated"),
    run: async (host) => {
      await call(host, "test_mrtr_echo_state");
      await call(host, "test_mrtr_no_state");
      await call(host, "test_mrtr_no_result_type");
    },
  },

  "http-standard-headers": {
    run: async (host) => {
      for (const tool of toolsOf(host)) await call(host, tool);
      const { resources } = await host.resources.list();
      for (const { uri } of nonEmpty(resources)) await host.resources.read("it", uri);
      const { prompts } = await host.prompts.list();
      for (const { name } of nonEmpty(prompts)) await host.prompts.get("it", name);
    },
  },

  "http-custom-headers": {
    run: async (host, { toolCalls = [] }) => {
      for (const { name, arguments: args } of toolCalls) await call(host, name, args);
    },
  },

  "http-invalid-tool-headers": {
    run: async (host) => {
      for (const tool of toolsOf(host)) await call(host, tool, { region: "us-west1" });
    },
  },
};

/** @param {EmbeddedHost} host */
function toolsOf(host) {
  return host.tools.list().flatMap(({ server, tool }) => (server === "it" ? [tool] : []));
}

/**
 * @param {EmbeddedHost} host
 * @param {string} tool
 * @param {JsonObject} [args]
 */
function call(host, tool, args = {}) {
  return host.tools.call({ server: "it", tool }, args);
}

/**
 * Throws an error if the list is empty.
 * @template Item
 * @param {readonly Item[]} items
 */
function nonEmpty(items) {
  if (items.length === 0) throw new Error("the list is empty");
  return items;
}
