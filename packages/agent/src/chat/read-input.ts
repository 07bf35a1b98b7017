/** Reads what a message of the user refers to, such as resources and a prompt, and makes the parts for the model. */
import { inputText, isJsonObject, isText } from "@plugboard/contracts";
import type { ChatInput, ChatMedia, ChatText, ContentBlock, ResourceContents, Workspace } from "@plugboard/contracts";
import { wrapUntrusted } from "../loop/mark-untrusted.ts";

type Part = ChatText | ChatMedia;

/** The user has chosen the content, but a server wrote it, so it is marked as untrusted. */
export async function readInput(input: ChatInput, workspace: Workspace, signal: AbortSignal): Promise<readonly Part[]> {
  const { text, prompt, resources = [], context = [] } = input;
  const attached = await Promise.all(
    resources.map(async ({ server, uri }) =>
      (await workspace.resources.read(server, uri, { signal })).map((contents) => toPart(contents, server)),
    ),
  );
  const prompted = prompt ? await readPrompt(prompt, workspace, signal) : [];
  const given = context.map(({ source, text: given }): Part => ({
    type: "text",
    text: `What the App of ${source} shows:\n${wrapUntrusted(given, source)}`,
  }));
  const typed: Part[] = text === "" ? [] : [{ type: "text", text }];
  return [...attached.flat(), ...given, ...prompted, ...typed];
}

/** Returns the message as people see it. Undefined if nothing is attached to it. */
export function shownText(input: ChatInput): string | undefined {
  const { prompt, resources = [], context = [] } = input;
  if (!prompt && resources.length === 0 && context.length === 0) return undefined;
  return [inputText(input), ...context.map(({ source }) => `[with a text of the App of ${source}]`)].join("\n").trim();
}

async function readPrompt(
  { server, name, arguments: args }: NonNullable<ChatInput["prompt"]>,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<readonly Part[]> {
  const { messages } = await workspace.prompts.get(server, name, args, { signal });
  const source = `${server}:${name}`;
  const parts = messages.map(({ role, content }) => {
    const part = blockToPart(content);
    if (part.type !== "text") return part;
    return { ...part, text: wrapUntrusted(role === "user" ? part.text : `Assistant: ${part.text}`, source) };
  });
  return [{ type: "text", text: `Follow the prompt "${source}", which I have chosen:` }, ...parts];
}

function toPart({ uri, mimeType, text, blob }: ResourceContents, server: string): Part {
  if (typeof text === "string") return { type: "text", text: `Resource ${uri}:\n${wrapUntrusted(text, server)}` };
  return mediaPart(blob, mimeType) ?? { type: "text", text: `[resource ${uri}, not shown]` };
}

function blockToPart(block: ContentBlock): Part {
  if (isText(block)) return { type: "text", text: block.text };
  const source = isJsonObject(block["resource"]) ? block["resource"] : block;
  if (typeof source["text"] === "string") return { type: "text", text: source["text"] };
  const media = mediaPart(source["data"] ?? source["blob"], source["mimeType"]);
  return media ?? { type: "text", text: `[${block.type}, not shown]` };
}

function mediaPart(data: unknown, mimeType: unknown): ChatMedia | undefined {
  if (typeof data !== "string" || typeof mimeType !== "string") return undefined;
  const type = /^(image|audio)\//.exec(mimeType)?.[1] as "image" | "audio" | undefined;
  return { type: type ?? "file", data, mimeType };
}
