import type { ContentBlock } from "./content.ts";
import type { JsonObject } from "../lib/json.ts";
import type { MultiServerList } from "./resource.ts";

/** A prepared conversation that a server offers. Everything in it is the word of an untrusted party. */
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

/** Of what an argument is to be completed: a prompt, or a family of resources by its URI template. */
export type CompletionRef =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

export interface CompletionArgument {
  readonly name: string;
  /** As far as it is typed. */
  readonly value: string;
}

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
