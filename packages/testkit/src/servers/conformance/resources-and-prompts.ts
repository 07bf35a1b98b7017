/** The resources, prompts and completion of the conformance fixture. */
import type { GetPromptResult, ReadResourceResult, Resource, Prompt } from "@modelcontextprotocol/server";
import { PIXEL } from "../modern/pixel.ts";
import { changes } from "./changes.ts";
import type { Questions } from "./conformance-tool.ts";
import { answerText, textQuestion } from "./questions.ts";

type PromptReply = GetPromptResult | Questions;

const text = "text/plain";

const RESOURCES: { readonly [uri: string]: Omit<Resource, "uri"> & ({ text: string } | { blob: string }) } = {
  "test://static-text": { name: "static-text", mimeType: text, text: "A static text" },
  "test://static-binary": { name: "static-binary", mimeType: "image/png", blob: PIXEL },
  "test://watched-resource": { name: "watched-resource", mimeType: text, text: "A resource that may change" },
};

export const TEMPLATES = [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }];

export function listResources(): Resource[] {
  return Object.entries(RESOURCES).map(([uri, { name, mimeType }]) => ({ uri, name, description: name, mimeType }));
}

/** Returns undefined for an unknown resource. */
export function fixtureResource(uri: string): ReadResourceResult | undefined {
  const resource = Object.hasOwn(RESOURCES, uri) ? RESOURCES[uri] : undefined;
  if (resource) {
    const { name: _, ...content } = resource;
    return { contents: [{ uri, ...content }] };
  }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) return undefined;
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id }) }] };
}

const user = (content: GetPromptResult["messages"][number]["content"]) => ({ role: "user" as const, content });
const say = (words: string) => user({ type: "text", text: words });

interface FixturePrompt {
  readonly description: string;
  readonly arguments?: readonly string[];
  get(args: { readonly [name: string]: string }, answers: { readonly [key: string]: unknown }): PromptReply;
}

const PROMPTS: { readonly [name: string]: FixturePrompt } = {
  test_simple_prompt: { description: "A simple prompt", get: () => ({ messages: [say("A simple prompt")] }) },
  test_prompt_with_arguments: {
    description: "A prompt with two arguments",
    arguments: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => ({ messages: [say(`arg1=${arg1} arg2=${arg2}`)] }),
  },
  test_prompt_with_embedded_resource: {
    description: "A prompt with a resource",
    arguments: ["resourceUri"],
    get: ({ resourceUri = "" }) => ({
      messages: [user({ type: "resource", resource: { uri: resourceUri, mimeType: text, text: "embedded" } })],
    }),
  },
  test_prompt_with_image: {
    description: "A prompt with an image",
    get: () => ({ messages: [user({ type: "image", data: PIXEL, mimeType: "image/png" })] }),
  },
  test_input_required_result_prompt: {
    description: "A prompt that asks first",
    get: (_args, answers) => {
      const context = answerText(answers, "user_context");
      return context === undefined
        ? { questions: { user_context: textQuestion("What context?", "context") } }
        : { messages: [say(context)] };
    },
  },
};

const CHANGING_PROMPT: FixturePrompt = {
  description: "Comes and goes",
  get: () => ({ messages: [say("I am here for now")] }),
};

const currentPrompts = () => (changes.prompt ? { ...PROMPTS, test_changing_prompt: CHANGING_PROMPT } : PROMPTS);

export function listPrompts(): Prompt[] {
  return Object.entries(currentPrompts()).map(([name, { description, arguments: args = [] }]) => ({
    name,
    description,
    arguments: args.map((argument) => ({ name: argument, description: argument, required: true })),
  }));
}

/** Returns undefined for an unknown prompt. */
export function fixturePrompt(
  name: string,
  args: { readonly [name: string]: string },
  answers: { readonly [key: string]: unknown },
): PromptReply | undefined {
  return Object.entries(currentPrompts())
    .find(([known]) => known === name)?.[1]
    .get(args, answers);
}

export const COMPLETION = { completion: { values: ["testing", "tested"], total: 2, hasMore: false } };
