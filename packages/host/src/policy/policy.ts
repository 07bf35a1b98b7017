/**
 * The rules of a workspace, ready for many calls: which of them are about a tool is found out once. Rules never change
 * under it; other rules are another policy.
 */
import { decide, deniesWhole, rulesOf } from "./evaluate.ts";
import type { Defaults, ToolCall, ToolRules, Verdict } from "./evaluate.ts";
import type { Rule } from "./rule.ts";

/** A caller may name tools that don't exist. */
const MAX_KNOWN = 100_000;

export class Policy {
  readonly #rules: readonly Rule[];
  readonly #servers = new Map<string, Map<string, ToolRules>>();
  #known = 0;

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  evaluate(call: ToolCall, defaults: Defaults): Verdict {
    return decide(this.#about(call.server, call.tool), call, defaults);
  }

  /** Whatever its arguments are: such a tool is not shown to a model. */
  deniedOutright({ server, tool }: Pick<ToolCall, "server" | "tool">): boolean {
    return this.#about(server, tool).denial !== undefined;
  }

  /** The rule that denies the whole server: nothing else of it is to be had either. */
  deniesServer(server: string): Rule | undefined {
    return this.#rules.find((rule) => deniesWhole(rule) && rule.server.matches(server));
  }

  #about(server: string, tool: string): ToolRules {
    const known = this.#servers.get(server)?.get(tool);
    if (known) return known;
    if (this.#known === MAX_KNOWN) {
      this.#servers.clear();
      this.#known = 0;
    }
    const tools = this.#servers.get(server) ?? new Map<string, ToolRules>();
    const rules = rulesOf(this.#rules, { server, tool });
    this.#servers.set(server, tools.set(tool, rules));
    this.#known += 1;
    return rules;
  }
}
