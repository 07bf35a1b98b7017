/** The tools of one server in the registry: all listed tools, and the tools that are offered. */
import type { Tool, Naming } from "@plugboard/contracts";
import type { ToolCatalog } from "@plugboard/mcp";
import { parseGlob } from "@plugboard/config";
import type { NameTable } from "../names/name-table.ts";
import { toolName } from "../names/tool-name.ts";
import type { ResolvedTool } from "./resolved-tool.ts";
import { nativeToolDefinition } from "./native-tool.ts";
import type { NativeTool } from "./native-tool.ts";
import { registeredTool } from "./registered-tool.ts";
import type { RegisteredTool } from "./registered-tool.ts";

/** Which of a server's tools are offered. */
export interface ToolFilter {
  /** Patterns of tool names. All tools are included if there are no patterns. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Patterns of tool names that the program excludes. */
  readonly excludedByProgram?: readonly string[];
  /** Whether all tools of the server are hidden for now. */
  readonly hidden?: boolean;
}

/** The tools that a server lists, and the filter that decides which of them are offered. */
export interface ServerOffer {
  readonly catalog: ToolCatalog;
  readonly version?: string | undefined;
  readonly filter: ToolFilter;
  /** The tool of the host that logs in at the server. The filter does not apply to it. */
  readonly login?: NativeTool | undefined;
}

export class ServerTools {
  readonly id: string;
  /** The last offer. Kept while the server is unavailable. */
  #offer: ServerOffer | undefined;
  #isUnavailable = true;
  #tools: ReadonlyMap<string, Tool> = new Map();
  #excluded: ReadonlyMap<string, Exclusion> = new Map();
  #nameable: readonly Tool[] = [];
  #listed: readonly RegisteredTool[] | undefined;
  readonly #resolved = new Map<string, ResolvedTool>();

  constructor(id: string) {
    this.id = id;
  }

  /** The version that the server reports. */
  get version(): string | undefined {
    return this.#offer?.version;
  }

  /**
   * The tools that can have a model-visible name: all tools that are not excluded. The same array until they change.
   */
  get nameable(): readonly Tool[] {
    return this.#nameable;
  }

  /** Returns the nameable tools that are available and enabled. */
  enabled(disabled: ReadonlySet<string> | undefined): readonly Tool[] {
    if (this.#isUnavailable || this.#hidden) return [];
    return disabled?.size ? this.#nameable.filter(({ name }) => !disabled.has(name)) : this.#nameable;
  }

  /** Returns what changed: "names" if the nameable tools changed, "list" if only the offered tools changed. */
  update(offer: ServerOffer | undefined): "names" | "list" | undefined {
    const [before, wasUnavailable] = [this.#offer, this.#isUnavailable];
    this.#isUnavailable = offer === undefined;
    const sameTools =
      before?.catalog === offer?.catalog && before?.filter === offer?.filter && before?.login === offer?.login;
    const sameOffer = sameTools && before?.version === offer?.version;
    if (wasUnavailable === this.#isUnavailable && (wasUnavailable || sameOffer)) return undefined;
    this.invalidate();
    if (!offer || sameOffer) return "list";
    this.#offer = offer;
    if (sameTools) return "list";
    const { login } = offer;
    const tools = new Map(offer.catalog.tools.map((tool) => [tool.name, tool]));
    if (login) tools.delete(login.name);
    this.#excluded = findExcluded([...tools.keys()], offer.filter);
    if (login) tools.set(login.name, nativeToolDefinition(login));
    this.#tools = tools;
    this.#nameable = [...this.#tools.values()].filter(({ name }) => !this.#excluded.has(name));
    return "names";
  }

  /** Returns the excluded tool that would have this name. Slow, so only for error messages. */
  findExcluded(name: string, naming: Naming): string | undefined {
    return [...this.#excluded.keys()].find((tool) => toolName(this.id, tool, naming) === name);
  }

  /** Clears the cached lists. Called when names have changed, or tools were enabled or disabled. */
  invalidate(): void {
    this.#listed = undefined;
    this.#resolved.clear();
  }

  find(tool: string, names: NameTable, disabled: ReadonlySet<string> | undefined): ResolvedTool | undefined {
    const definition = this.#tools.get(tool);
    if (!definition) return undefined;
    let found = this.#resolved.get(tool);
    if (!found) this.#resolved.set(tool, (found = this.#describe(definition, names, disabled)));
    return found;
  }

  /** Returns the same array until something changes. */
  list(names: NameTable, disabled: ReadonlySet<string> | undefined): readonly RegisteredTool[] {
    this.#listed ??= this.#list(names, disabled);
    return this.#listed;
  }

  #list(names: NameTable, disabled: ReadonlySet<string> | undefined): readonly RegisteredTool[] {
    const { id: server } = this;
    const version = this.#offer?.version;
    return this.enabled(disabled).flatMap((definition) => {
      const name = names.nameOf(server, definition.name);
      if (name === undefined) return [];
      return [registeredTool({ name, server, origin: "mcp", version, definition })];
    });
  }

  #describe(definition: Tool, names: NameTable, disabled: ReadonlySet<string> | undefined): ResolvedTool {
    const { id: server } = this;
    const { name: tool } = definition;
    const name = names.nameOf(server, tool);
    const excluded = this.#excluded.get(tool);
    const login = this.#offer?.login;
    const disabledCause = this.#hidden ? "server_disabled" : disabled?.has(tool) ? "tool_disabled" : undefined;
    return {
      server,
      tool,
      ...(name !== undefined && { name }),
      definition,
      ...(login?.name === tool && { native: login }),
      ...(excluded && { excluded }),
      ...(disabledCause && { disabled: disabledCause }),
    };
  }

  get #hidden(): boolean {
    return this.#offer?.filter.hidden === true;
  }
}

type Exclusion = NonNullable<ResolvedTool["excluded"]>;

/** Returns the excluded tools, each with the part of the filter that excludes it. */
function findExcluded(tools: readonly string[], filter: ToolFilter): ReadonlyMap<string, Exclusion> {
  const exclude = compilePatterns(filter.exclude ?? []);
  const include = compilePatterns(filter.include ?? ["*"]);
  const excludedByProgram = compilePatterns(filter.excludedByProgram ?? []);
  const exclusionOf = (tool: string): Exclusion | undefined => {
    if (exclude(tool)) return "tools.exclude";
    if (!include(tool)) return "tools.include";
    return excludedByProgram(tool) ? "program" : undefined;
  };
  return new Map(
    tools.flatMap((tool) => {
      const exclusion = exclusionOf(tool);
      return exclusion ? [[tool, exclusion] as const] : [];
    }),
  );
}

function compilePatterns(patterns: readonly string[]): (tool: string) => boolean {
  const globs = patterns.map(parseGlob);
  return (tool) => globs.some((glob) => glob.matches(tool));
}
