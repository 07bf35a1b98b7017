/**
 * The view of a profile, or of the whole workspace. Follows the config: a profile that changes or disappears changes the
 * view of the clients that use it.
 */
import { canonicalJson, HostError, Listeners } from "@plugboard/contracts";
import { FRONT_NAMING, MAX_FRONT_NAME_LENGTH, NameTable } from "@plugboard/host/forwarding";
import { selectionOf } from "@plugboard/host/workspace";
import type { Policy, ResolvedTool, ToolKey, ToolView, ViewedTool } from "@plugboard/host/forwarding";
import type { OpenWorkspace, Selection } from "@plugboard/host/workspace";
import type { Profile } from "@plugboard/contracts";
import type { FrontView, ListedPart } from "./front-view.ts";
import { ListedTools } from "./listed-tools.ts";
import type { ListedFrontTool } from "./listed-tools.ts";

/** The view that results from one version of the profile. */
interface ViewState {
  /** Equal for equal views. */
  readonly key: string;
  readonly profile: Profile;
  readonly selection: Selection;
  readonly tools: ToolView;
  readonly policy: Policy;
}

/** Stands for a removed profile. Also denies the calls that were waiting for an answer when it was removed. */
const MISSING: Profile = { servers: [], permissions: { deny: ["*"] } };

export class ProfileView implements FrontView {
  readonly #workspace: OpenWorkspace;
  readonly #name: string | undefined;
  readonly #listeners = new Listeners();
  readonly #stopListening: () => void;
  #state: ViewState;

  /** Without a name, the view is the whole workspace. */
  constructor(workspace: OpenWorkspace, name?: string) {
    this.#workspace = workspace;
    this.#name = name;
    this.#state = this.#read();
    this.#stopListening = workspace.onConfigRead(() => this.#onConfigRead());
  }

  get maxResultBytes(): number | undefined {
    return this.#state.profile.max_result_bytes;
  }

  newNameTable(): NameTable {
    return new NameTable(this.#state.profile.naming ?? FRONT_NAMING, MAX_FRONT_NAME_LENGTH);
  }

  includes(server: string): boolean {
    const { selection, policy } = this.#state;
    return selection.includesServer(server) && !policy.findServerDenial(server);
  }

  includesTool(tool: ToolKey): boolean {
    const { selection, policy } = this.#state;
    return selection.includesTool(tool) && !policy.isAlwaysDenied(tool);
  }

  /** Leaves out tools that a rule denies for all arguments. */
  tools(): readonly ViewedTool[] {
    this.#workspace.tools.refresh();
    return this.#offered();
  }

  findTool(name: string): ResolvedTool | undefined {
    return this.#state.tools.find(name);
  }

  notFound(name: string): HostError {
    const { tools } = this.#state;
    const unusable = this.#workspace.tools.unusable((tool) => this.includesTool(tool) && tools.wouldName(tool, name));
    return unusable ?? new HostError("TOOL_NOT_FOUND", { tool: name });
  }

  policy(): Policy {
    return this.#state.policy;
  }

  onChanged(part: ListedPart, listener: () => void): () => void {
    const { tools, forwarding } = this.#workspace;
    if (part !== "tools") return joined(forwarding.onChanged(part, listener), this.onViewChanged(listener));
    const listed = new ListedTools(() => this.#listTools());
    const compare = () => {
      if (listed.hasChanged()) listener();
    };
    return joined(tools.onChanged(compare), this.onViewChanged(compare));
  }

  hasOutputSchema(tool: ViewedTool): boolean {
    // Clients reject a result without structured content if the tool has an output schema. A cut result may have none.
    if (tool.definition.outputSchema === undefined || this.maxResultBytes !== undefined) return false;
    return !this.#workspace.tools.hasUnmetSchema(tool);
  }

  onViewChanged(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): void {
    this.#stopListening();
  }

  #offered(): readonly ViewedTool[] {
    const { tools, policy } = this.#state;
    return tools.list().filter((tool) => !policy.isAlwaysDenied(tool));
  }

  #listTools(): ListedFrontTool[] {
    return this.#offered().map((tool) => {
      const { name, definition } = tool;
      return { name, definition, hasOutputSchema: this.hasOutputSchema(tool) };
    });
  }

  #onConfigRead(): void {
    const before = this.#state;
    const next = this.#read();
    if (next.key === before.key) return;
    this.#state = next;
    this.#listeners.emit();
  }

  #read(): ViewState {
    const name = this.#name;
    const profile = name === undefined ? {} : (this.#workspace.profile(name) ?? MISSING);
    const selection = selectionOf(profile);
    const policy = this.#workspace.policyWith(profile.permissions ?? {});
    const tools = this.#workspace.tools.view({
      naming: profile.naming ?? FRONT_NAMING,
      maxLength: MAX_FRONT_NAME_LENGTH,
      includes: (tool) => selection.includesTool(tool),
    });
    const key = canonicalJson([profile, policy.rules.map(({ effect, text, source }) => [effect, text, source])]);
    return { key, profile, selection, tools, policy };
  }
}

function joined(...stops: readonly (() => void)[]): () => void {
  return () => stops.forEach((stop) => stop());
}
