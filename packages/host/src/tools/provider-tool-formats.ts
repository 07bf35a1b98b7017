/**
 * Formats tools for the APIs of model providers. The result is always accepted, whatever a server sends: a provider
 * rejects the whole request for one bad tool.
 */
import { HostError, sanitizeLine } from "@plugboard/contracts";
import type { ModelProvider, OfferedTool } from "@plugboard/contracts";
import { modelSchema } from "./model-schema.ts";
import type { ModelSchemaOptions, ObjectSchema } from "./model-schema.ts";
import { replaceLoneSurrogates } from "./replace-lone-surrogates.ts";

export interface ProviderToolFormats {
  /** For `tools` of the Messages API. */
  readonly anthropic: { name: string; description: string; input_schema: ObjectSchema }[];
  /** For `tools` of Chat Completions, which many other providers also support. */
  readonly openai: { type: "function"; function: { name: string; description: string; parameters: ObjectSchema } }[];
  /** For `tools` of the Responses API. */
  readonly "openai-responses": {
    type: "function";
    name: string;
    description: string;
    parameters: ObjectSchema;
    strict: false;
  }[];
  /** For one entry in `tools` of generateContent. */
  readonly gemini: {
    functionDeclarations: { name: string; description: string; parametersJsonSchema: ObjectSchema }[];
  };
}

/** A tool in a form that the APIs of all providers accept, once it has the field names of the provider. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
}

type ToolToFormat = Pick<OfferedTool, "name" | "server" | "tool" | "description" | "inputSchema" | "origin">;

export function toProviderFormat<P extends ModelProvider>(
  provider: P,
  tools: readonly ToolToFormat[],
): ProviderToolFormats[P] {
  const format = Object.hasOwn(FORMATTERS, provider) ? FORMATTERS[provider] : undefined;
  if (!format) {
    const providers = Object.keys(FORMATTERS).join(", ");
    throw new HostError("USAGE", { message: `"${provider}" is not a known provider; use one of ${providers}` });
  }
  return format(tools);
}

/** Uses the schema for Anthropic: plain JSON Schema with the strictest names of arguments. */
export function toModelTool(tool: ToolToFormat): ModelTool {
  return {
    name: tool.name,
    description: describeWithOrigin(tool, MAX_DESCRIPTION),
    inputSchema: modelSchema(tool.inputSchema, ANTHROPIC),
  };
}

/** The length limits of a description. Chat Completions documents its limit. The other limit is a sensible size. */
const MAX_CHAT_COMPLETIONS_DESCRIPTION = 1_024;
const MAX_DESCRIPTION = 10_000;

const ANTHROPIC: ModelSchemaOptions = { allowedKeys: /^[a-zA-Z0-9_.-]{1,64}$/ };
const OPENAI: ModelSchemaOptions = { fillMissing: true };
const GEMINI: ModelSchemaOptions = { inlineRefs: true, dropUnknownRequired: true };

const FORMATTERS: { readonly [P in ModelProvider]: (tools: readonly ToolToFormat[]) => ProviderToolFormats[P] } = {
  anthropic: (tools) =>
    tools.map((tool) => {
      const { name, description, inputSchema } = toModelTool(tool);
      return { name, description, input_schema: inputSchema };
    }),
  openai: (tools) =>
    tools.map((tool) => ({
      type: "function",
      function: {
        name: tool.name,
        description: describeWithOrigin(tool, MAX_CHAT_COMPLETIONS_DESCRIPTION),
        parameters: modelSchema(tool.inputSchema, OPENAI),
      },
    })),
  "openai-responses": (tools) =>
    tools.map((tool) => ({
      type: "function",
      name: tool.name,
      description: describeWithOrigin(tool, MAX_DESCRIPTION),
      parameters: modelSchema(tool.inputSchema, OPENAI),
      // Strict mode is the default, but accepts only a subset of JSON Schema.
      strict: false,
    })),
  gemini: (tools) => ({
    functionDeclarations: tools.map((tool) => ({
      name: tool.name,
      description: describeWithOrigin(tool, MAX_DESCRIPTION),
      parametersJsonSchema: modelSchema(tool.inputSchema, GEMINI),
    })),
  }),
};

/** Appends the origin and never cuts it, so that a model can't confuse tools of two servers. */
function describeWithOrigin(tool: ToolToFormat, limit: number): string {
  const text = replaceLoneSurrogates(tool.description);
  const origin = originLabel(tool);
  if (origin === undefined) return truncate(text, limit);
  return text === "" ? origin : `${truncate(text, limit - origin.length - 1)} ${origin}`;
}

/** Returns undefined for a native tool. */
export function originLabel({
  origin,
  server,
  tool,
}: Pick<ToolToFormat, "origin" | "server" | "tool">): string | undefined {
  if (origin === "native") return undefined;
  // JSON quotes prevent a tool name that imitates another server's label.
  return `(tool ${JSON.stringify(truncate(sanitizeLine(tool), 128))} of MCP server ${JSON.stringify(server)})`;
}

function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
