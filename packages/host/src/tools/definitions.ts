/**
 * Tools in the forms in which the providers of models take them. Whatever a
 * server has sent, what comes out is accepted: one bad tool must not take the
 * request down, for then all the others are gone too.
 */
import { HostError, sanitiseLine } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { modelSchema } from "./model-schema.ts";
import type { ModelSchemaNeeds, ObjectSchema } from "./model-schema.ts";
import { wellFormed } from "./well-formed.ts";

export interface Definitions {
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

export type Provider = keyof Definitions;

type DefinedTool = Pick<OfferedTool, "name" | "server" | "tool" | "description" | "inputSchema" | "origin">;

export function definitions<P extends Provider>(provider: P, tools: readonly DefinedTool[]): Definitions[P] {
  const write = Object.hasOwn(FORMS, provider) ? FORMS[provider] : undefined;
  if (!write) {
    const known = Object.keys(FORMS).join(", ");
    throw new HostError("USAGE", { what: `there is no provider "${provider}", only ${known}` });
  }
  return write(tools);
}

/** The most that each takes of a description: Chat Completions says so, the others leave it to reason. */
const SHORT = 1_024;
const LONG = 10_000;

const ANTHROPIC: ModelSchemaNeeds = { keys: /^[a-zA-Z0-9_.-]{1,64}$/ };
const OPENAI: ModelSchemaNeeds = { complete: true };
const GEMINI: ModelSchemaNeeds = { inlineRefs: true, knownRequired: true };

const FORMS: { readonly [P in Provider]: (tools: readonly DefinedTool[]) => Definitions[P] } = {
  anthropic: (tools) =>
    tools.map((tool) => ({
      name: tool.name,
      description: describe(tool, LONG),
      input_schema: modelSchema(tool.inputSchema, ANTHROPIC),
    })),
  openai: (tools) =>
    tools.map((tool) => ({
      type: "function",
      function: {
        name: tool.name,
        description: describe(tool, SHORT),
        parameters: modelSchema(tool.inputSchema, OPENAI),
      },
    })),
  "openai-responses": (tools) =>
    tools.map((tool) => ({
      type: "function",
      name: tool.name,
      description: describe(tool, LONG),
      parameters: modelSchema(tool.inputSchema, OPENAI),
      // Strict is the default there, and takes only schemas that are written for it.
      strict: false,
    })),
  gemini: (tools) => ({
    functionDeclarations: tools.map((tool) => ({
      name: tool.name,
      description: describe(tool, LONG),
      parametersJsonSchema: modelSchema(tool.inputSchema, GEMINI),
    })),
  }),
};

/** With its origin, which is cut off last: a model must not take one server's tool for another's. */
function describe(tool: DefinedTool, limit: number): string {
  const text = wellFormed(tool.description);
  const origin = originOf(tool);
  if (origin === undefined) return cut(text, limit);
  return text === "" ? origin : `${cut(text, limit - origin.length - 1)} ${origin}`;
}

/** Nothing for the program's own. */
export function originOf({
  origin,
  server,
  tool,
}: Pick<DefinedTool, "origin" | "server" | "tool">): string | undefined {
  if (origin === "native") return undefined;
  // Quoted as JSON, or the name of a tool could end in another server's.
  return `(tool ${JSON.stringify(cut(sanitiseLine(tool), 128))} of MCP server ${JSON.stringify(server)})`;
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
