/**
 * Tools in the forms in which the providers of models take them. Whatever a
 * server has sent, what comes out is accepted: one bad tool must not take the
 * request down, for then all the others are gone too.
 */
import { HostError, sanitizeLine } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { modelSchema } from "./model-schema.ts";
import type { ModelSchemaOptions, ObjectSchema } from "./model-schema.ts";
import { replaceLoneSurrogates } from "./replace-lone-surrogates.ts";

export interface ProviderToolFormats {
  /** For `tools` of the Messages API. */
  readonly anthropic: { name: string; description: string; input_schema: ObjectSchema }[];
  /** For `tools` of Chat Completions, which many other providers speak too. */
  readonly openai: { type: "function"; function: { name: string; description: string; parameters: ObjectSchema } }[];
  /** For `tools` of the Responses API. */
  readonly "openai-responses": {
    type: "function";
    name: string;
    description: string;
    parameters: ObjectSchema;
    strict: false;
  }[];
  /** One of the `tools` of generateContent. */
  readonly gemini: {
    functionDeclarations: { name: string; description: string; parametersJsonSchema: ObjectSchema }[];
  };
}

export type Provider = keyof ProviderToolFormats;

type ToolToFormat = Pick<OfferedTool, "name" | "server" | "tool" | "description" | "inputSchema" | "origin">;

export function toProviderFormat<P extends Provider>(
  provider: P,
  tools: readonly ToolToFormat[],
): ProviderToolFormats[P] {
  const format = Object.hasOwn(FORMATTERS, provider) ? FORMATTERS[provider] : undefined;
  if (!format) {
    const known = Object.keys(FORMATTERS).join(", ");
    throw new HostError("USAGE", { message: `there is no provider "${provider}", only ${known}` });
  }
  return format(tools);
}

/** The most that each takes of a description: Chat Completions says so, the others leave it to reason. */
const MAX_CHAT_COMPLETIONS_DESCRIPTION = 1_024;
const MAX_DESCRIPTION = 10_000;

const ANTHROPIC: ModelSchemaOptions = { allowedKeys: /^[a-zA-Z0-9_.-]{1,64}$/ };
const OPENAI: ModelSchemaOptions = { fillMissing: true };
const GEMINI: ModelSchemaOptions = { inlineRefs: true, dropUnknownRequired: true };

const FORMATTERS: { readonly [P in Provider]: (tools: readonly ToolToFormat[]) => ProviderToolFormats[P] } = {
  anthropic: (tools) =>
    tools.map((tool) => ({
      name: tool.name,
      description: describeWithOrigin(tool, MAX_DESCRIPTION),
      input_schema: modelSchema(tool.inputSchema, ANTHROPIC),
    })),
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
      // Strict is the default there, and takes only schemas that are written for it.
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

/** With its origin, which is cut off last: a model must not take one server's tool for another's. */
function describeWithOrigin(tool: ToolToFormat, limit: number): string {
  const text = replaceLoneSurrogates(tool.description);
  const origin = originLabel(tool);
  if (origin === undefined) return truncate(text, limit);
  return text === "" ? origin : `${truncate(text, limit - origin.length - 1)} ${origin}`;
}

/** Nothing for the program's own. */
export function originLabel({
  origin,
  server,
  tool,
}: Pick<ToolToFormat, "origin" | "server" | "tool">): string | undefined {
  if (origin === "native") return undefined;
  // Quoted as JSON, or the name of a tool could end in another server's.
  return `(tool ${JSON.stringify(truncate(sanitizeLine(tool), 128))} of MCP server ${JSON.stringify(server)})`;
}

function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
