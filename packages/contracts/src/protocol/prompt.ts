/** Prompts of servers, and completions of their arguments. */
import type { ContentBlock } from "./content.ts";
import type { JsonObject } from "../lib/json.ts";
import type { MultiServerList } from "./resource.ts";

/** A prompt template of a server. Its texts are untrusted. */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
}

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}

/** A prompt with its arguments filled in. */
export interface GetPromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: JsonObject;
}

export interface PromptList extends MultiServerList {
  readonly prompts: readonly (Prompt & { readonly server: string })[];
}

/** The prompt or resource template whose argument is completed. */
export type CompletionRef =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

export interface CompletionArgument {
  readonly name: string;
  /** The text typed so far. */
  readonly value: string;
}

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
