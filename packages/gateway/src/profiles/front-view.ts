/** The part of a workspace that a client of the gateway sees. A profile shows less than the whole workspace. */
import type { HostError } from "@plugboard/contracts";
import type { NameTable, Policy, ResolvedTool, ToolKey, ViewedTool } from "@plugboard/host/forwarding";

export type ListedPart = "tools" | "resources" | "prompts";

export interface FrontView {
  /** The most bytes of text in the result of a tool. By default there is no limit. */
  readonly maxResultBytes: number | undefined;
  /** Returns an empty table that names prompts by the same rules as the tools of the view. */
  newNameTable(): NameTable;
  /** Returns whether the client sees this server. */
  includes(server: string): boolean;
  /** Returns whether the client sees this tool. A tool that is denied for all arguments is hidden. */
  includesTool(tool: ToolKey): boolean;
  /** Returns the tools under the names that the client uses. */
  tools(): readonly ViewedTool[];
  /** Returns whether the client sees the output schema of a tool. */
  hasOutputSchema(tool: ViewedTool): boolean;
  /** Returns the tool with that name, or undefined if the client must not see it. */
  findTool(name: string): ResolvedTool | undefined;
  /** Returns the error of a call of a tool that can't be found, or that can't be used. */
  notFound(name: string): HostError;
  /** Returns the rules for calls of the client. */
  policy(): Policy;
  /**
   * Calls the listener when the list may have changed. For tools, calls it only when the list has changed. Returns a
   * function that removes the listener.
   */
  onChanged(part: ListedPart, listener: () => void): () => void;
  /** Calls the listener when the selection of servers may have changed. Returns a function that removes it. */
  onViewChanged(listener: () => void): () => void;
  /** Stops following the config. */
  close(): void;
}
