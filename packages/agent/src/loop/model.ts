/** The port to a language model. `models/` implements it; a program can pass its own. */
import type { ChatMessage, ChatUsage, ProviderMetadata } from "@plugboard/contracts";
import type { ToolDefinition } from "./tools.ts";
import type { Price } from "./usage.ts";

export interface Model {
  /** `provider/model`, such as `anthropic/claude-opus-4-5`. */
  readonly id: string;
  /**
   * The size of the context window, if known. Without it, a conversation is compacted on demand, or when the provider
   * rejects it as too long.
   */
  readonly contextTokens?: number;
  readonly price?: Price;
  /** Sends one request. The iteration throws a `HostError` if the model can't answer. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  /** By default `auto`: the model decides whether it calls a tool. */
  readonly toolChoice?: "auto" | "required";
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly signal: AbortSignal;
}

/** A part of a streamed answer. The last one is `finish`. */
export type ModelPart =
  | DeltaPart
  /** Ends the text or reasoning with this id. */
  | { readonly type: "end"; readonly id?: string; readonly metadata?: ProviderMetadata }
  | {
      readonly type: "tool_call";
      readonly callId: string;
      readonly tool: string;
      /** A JSON text. */
      readonly input: string;
      readonly metadata?: ProviderMetadata;
    }
  /** The answer broke off, or could not begin. All parts before this one are void. */
  | { readonly type: "retry"; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: ChatUsage };

/** Deltas with the same id belong to one text or reasoning. Without ids, consecutive deltas of one type do. */
export interface DeltaPart {
  readonly type: "text" | "reasoning";
  readonly id?: string;
  readonly delta: string;
  readonly metadata?: ProviderMetadata;
}

/** `length`: the answer was cut at the model's output limit. `refused`: a content filter stopped it. */
export type FinishReason = "stop" | "tool_calls" | "length" | "refused" | "other";
