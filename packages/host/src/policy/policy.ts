/**
 * The rules of a workspace, ready for many calls: which of them are about a tool is found out once. Rules never change
 * under it; other rules are another policy.
 */
import { decide, deniesWholeServer, rulesForTool } from "./evaluate.ts";
import type { PolicyDefaults, PolicyRequest, ToolRules, Evaluation } from "./evaluate.ts";
import type { Rule } from "./rule.ts";

/** A caller may name tools that don't exist. */
const MAX_CACHED_TOOLS = 100_000;

export class Policy {
  readonly #rules: readonly Rule[];
  readonly #servers = new Map<string, Map<string, ToolRules>>();
  #cachedTools = 0;

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  evaluate(call: PolicyRequest, defaults: PolicyDefaults): Evaluation {
    return decide(this.#rulesFor(call.server, call.tool), call, defaults);
  }

  /** Whatever its arguments are: such a tool is not shown to a model. */
  isAlwaysDenied({ server, tool }: Pick<PolicyRequest, "server" | "tool">): boolean {
    return this.#rulesFor(server, tool).denyRule !== undefined;
  }

  /** The rule that denies the whole server: nothing else of it is to be had either. */
  findServerDenial(server: string): Rule | undefined {
    return this.#rules.find((rule) => deniesWholeServer(rule) && rule.server.matches(server));
  }

  #rulesFor(server: string, tool: string): ToolRules {
    const known = this.#servers.get(server)?.get(tool);
    if (known) return known;
    if (this.#cachedTools === MAX_CACHED_TOOLS) {
      this.#servers.clear();
      this.#cachedTools = 0;
    }
    const tools = this.#servers.get(server) ?? new Map<string, ToolRules>();
    const rules = rulesForTool(this.#rules, { server, tool });
    this.#servers.set(server, tools.set(tool, rules));
    this.#cachedTools += 1;
    return rules;
  }
}
