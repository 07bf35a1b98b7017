/** The providers of models: their API, their usual URL, and where their key is found. */

export interface Provider {
  /** The SDK that speaks the API. `load-sdk-model.ts` imports it. */
  readonly sdk: "anthropic" | "openai" | "compatible";
  /** The API: Anthropic's `messages`, or OpenAI's `responses` or `chat` (Chat Completions). */
  readonly wire: "messages" | "responses" | "chat";
  /** The usual URL. Absent if the user has to set it. */
  readonly url?: string;
  /** The environment variable that overrides `url`. */
  readonly urlVariable?: string;
  /** The environment variable, or the secret, with the API key. Absent if only the config sets the key. */
  readonly keyVariable?: string;
  readonly keyRequired: boolean;
  /** True if the key is sent only to a URL that the user has set. At the usual URL, any local program may listen. */
  readonly keyNeedsUrl?: boolean;
}

const OPENAI = {
  sdk: "openai",
  url: "https://api.openai.com/v1",
  urlVariable: "OPENAI_BASE_URL",
  keyVariable: "OPENAI_API_KEY",
  keyRequired: true,
} as const;

const COMPATIBLE = {
  sdk: "compatible",
  wire: "chat",
  keyVariable: "PLUGBOARD_MODEL_KEY",
  keyRequired: false,
  keyNeedsUrl: true,
} as const;

export const PROVIDERS: { readonly [name: string]: Provider } = {
  anthropic: {
    sdk: "anthropic",
    wire: "messages",
    url: "https://api.anthropic.com/v1",
    urlVariable: "ANTHROPIC_BASE_URL",
    keyVariable: "ANTHROPIC_API_KEY",
    keyRequired: true,
  },
  openai: { ...OPENAI, wire: "responses" },
  "openai-chat": { ...OPENAI, wire: "chat" },
  ollama: { ...COMPATIBLE, url: "http://127.0.0.1:11434/v1" },
  lmstudio: { ...COMPATIBLE, url: "http://127.0.0.1:1234/v1" },
  vllm: { ...COMPATIBLE, url: "http://127.0.0.1:8000/v1" },
  compatible: COMPATIBLE,
};

/**
 * A provider that only the config knows. It has no variable for the key, because the key of one provider must not be
 * sent to another.
 */
export const CONFIGURED_PROVIDER: Provider = { sdk: "compatible", wire: "chat", keyRequired: false };
