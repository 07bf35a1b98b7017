/** The providers of models: their wire format, their usual URL, and where their key is found. */
import type { LanguageModelV3 } from "@ai-sdk/provider";

export interface Provider {
  /** `messages`: Anthropic's. `responses`, `chat`: OpenAI's. */
  readonly wire: "messages" | "responses" | "chat";
  /** Absent if the user has to set one. */
  readonly url?: string;
  /** The environment variable with another URL. */
  readonly urlVariable?: string;
  /** The environment variable, or the secret, with the API key. Absent if only the config sets the key. */
  readonly keyVariable?: string;
  readonly keyRequired: boolean;
  /** Imports the SDK of the provider, which takes too long to do it before a model is used. */
  load(settings: SdkSettings): Promise<LanguageModelV3>;
}

interface SdkSettings {
  readonly provider: string;
  readonly model: string;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

const OPENAI = {
  url: "https://api.openai.com/v1",
  urlVariable: "OPENAI_BASE_URL",
  keyVariable: "OPENAI_API_KEY",
  keyRequired: true,
} as const;

export const COMPATIBLE = {
  wire: "chat",
  keyVariable: "PLUGBOARD_MODEL_KEY",
  keyRequired: false,
  load: loadCompatible,
} as const satisfies Provider;

export const PROVIDERS: { readonly [name: string]: Provider } = {
  anthropic: {
    wire: "messages",
    url: "https://api.anthropic.com/v1",
    urlVariable: "ANTHROPIC_BASE_URL",
    keyVariable: "ANTHROPIC_API_KEY",
    keyRequired: true,
    load: async ({ model, apiKey = "", baseURL, fetch }) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, baseURL, fetch })(model);
    },
  },
  openai: {
    ...OPENAI,
    wire: "responses",
    load: async ({ model, apiKey = "", baseURL, fetch }) => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ apiKey, baseURL, fetch }).responses(model);
    },
  },
  "openai-chat": {
    ...OPENAI,
    wire: "chat",
    load: async ({ model, apiKey = "", baseURL, fetch }) => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ apiKey, baseURL, fetch }).chat(model);
    },
  },
  ollama: { ...COMPATIBLE, url: "http://127.0.0.1:11434/v1" },
  lmstudio: { ...COMPATIBLE, url: "http://127.0.0.1:1234/v1" },
  vllm: { ...COMPATIBLE, url: "http://127.0.0.1:8000/v1" },
  compatible: COMPATIBLE,
};

async function loadCompatible({ provider, model, apiKey, baseURL, fetch }: SdkSettings): Promise<LanguageModelV3> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const key = apiKey === undefined ? {} : { apiKey };
  return createOpenAICompatible({ name: provider, baseURL, fetch, includeUsage: true, ...key })(model);
}
