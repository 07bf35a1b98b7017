/**
 * Opens a model with the SDK of its provider. The SDK is imported only here, on first use, because the import is slow.
 */
import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { Provider } from "./providers.ts";

interface SdkSettings {
  readonly provider: string;
  readonly model: string;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

export async function loadSdkModel({ sdk, wire }: Provider, settings: SdkSettings): Promise<LanguageModelV3> {
  const { provider, model, apiKey = "", baseURL, fetch } = settings;
  switch (sdk) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, baseURL, fetch })(model);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const openai = createOpenAI({ apiKey, baseURL, fetch });
      return wire === "responses" ? openai.responses(model) : openai.chat(model);
    }
    case "compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const key = apiKey === "" ? {} : { apiKey };
      return createOpenAICompatible({ name: provider, baseURL, fetch, includeUsage: true, ...key })(model);
    }
  }
}
