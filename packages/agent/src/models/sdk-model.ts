/** Implements the loop's `Model` with a model of the AI SDK. */
import type { ChatUsage, ProviderMetadata } from "@plugboard/contracts";
import type {
  LanguageModelV3,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import type { FinishReason, Model, ModelPart, ModelRequest } from "../loop/model.ts";
import { brokenAnswer, modelError } from "./model-error.ts";
import type { Provider } from "./providers.ts";
import { toCallOptions } from "./to-call-options.ts";

export interface SdkModelOptions extends Omit<Model, "stream"> {
  readonly wire: Provider["wire"];
  readonly load: () => Promise<LanguageModelV3>;
  /** Removed from the provider's error messages. */
  readonly apiKey: string | undefined;
  /** Returns the wall clock in milliseconds. */
  readonly now: () => number;
}

export function sdkModel({ wire, load, apiKey, now, ...facts }: SdkModelOptions): Model {
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, void> {
    try {
      const model = await load();
      const { stream } = await model.doStream(toCallOptions(request, wire));
      let isFinished = false;
      for await (const sdkPart of stream) {
        const part = toModelPart(sdkPart, facts.id);
        if (!part) continue;
        isFinished ||= part.type === "finish";
        yield part;
      }
      if (!isFinished) throw brokenAnswer(facts.id);
    } catch (thrown) {
      throw modelError(facts.id, thrown, { now: now(), apiKey });
    }
  }
  return { ...facts, stream };
}

/** Returns undefined for parts that the loop does not use. */
function toModelPart(part: LanguageModelV3StreamPart, model: string): ModelPart | undefined {
  switch (part.type) {
    case "text-start":
    case "reasoning-start":
      return { type: kindOf(part.type), id: part.id, delta: "", ...metadataOf(part) };
    case "text-delta":
    case "reasoning-delta":
      return { type: kindOf(part.type), id: part.id, delta: part.delta, ...metadataOf(part) };
    case "text-end":
    case "reasoning-end":
      return { type: "end", id: part.id, ...metadataOf(part) };
    case "tool-call":
      // The provider runs this call itself, so the loop must not run it.
      if (part.providerExecuted) return undefined;
      return {
        type: "tool_call",
        callId: part.toolCallId,
        tool: part.toolName,
        input: part.input,
        ...metadataOf(part),
      };
    case "finish":
      // The SDK adds a finish part without data if the stream ended early.
      if (part.finishReason.raw === undefined && part.usage.outputTokens.total === undefined) throw brokenAnswer(model);
      if (part.finishReason.unified === "error") throw brokenAnswer(model);
      return { type: "finish", reason: FINISH_REASONS[part.finishReason.unified], usage: toUsage(part.usage) };
    case "error":
      throw part.error;
    default:
      return undefined;
  }
}

const FINISH_REASONS: {
  readonly [R in Exclude<LanguageModelV3FinishReason["unified"], "error">]: FinishReason;
} = {
  stop: "stop",
  length: "length",
  "content-filter": "refused",
  "tool-calls": "tool_calls",
  other: "other",
};

function kindOf(type: string): "text" | "reasoning" {
  return type.startsWith("text") ? "text" : "reasoning";
}

function metadataOf({ providerMetadata }: { providerMetadata?: ProviderMetadata }): { metadata?: ProviderMetadata } {
  return providerMetadata ? { metadata: providerMetadata } : {};
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV3Usage): ChatUsage {
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cacheReadTokens: inputTokens.cacheRead ?? 0,
    cacheWriteTokens: inputTokens.cacheWrite ?? 0,
  };
}
