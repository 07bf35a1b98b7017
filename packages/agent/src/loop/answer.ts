/** Collects the parts of a streamed answer into a message. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { AssistantMessage, PartMetadata } from "./message.ts";
import type { ModelPart } from "./model.ts";

type Part = AssistantMessage["content"][number];
type Finish = Extract<ModelPart, { type: "finish" }>;

export class Answer {
  #parts: Part[] = [];
  #open: { type: "text" | "reasoning"; text: string } | undefined;
  #problems = new Map<string, string>();
  readonly #usedIds: ReadonlySet<string>;
  finish: Finish | undefined;

  /** `usedIds`: the ids of earlier calls. Some model servers use the same ids again. */
  constructor(usedIds: ReadonlySet<string>) {
    this.#usedIds = usedIds;
  }

  add(part: ModelPart): void {
    switch (part.type) {
      case "text":
      case "reasoning":
        if (this.#open?.type !== part.type) this.#close();
        this.#open ??= { type: part.type, text: "" };
        this.#open.text += part.delta;
        break;
      case "end":
        this.#close(part.metadata);
        break;
      case "tool_call":
        this.#close();
        this.#addCall(part);
        break;
      case "retry":
        this.#parts = [];
        this.#open = undefined;
        this.#problems.clear();
        break;
      case "finish":
        this.#close();
        this.finish = part;
        break;
    }
  }

  message(): AssistantMessage {
    return { role: "assistant", content: this.#parts };
  }

  /** Returns the text so far. Providers accept no unfinished reasoning, and calls of a broken answer must not run. */
  textOnly(): AssistantMessage {
    this.#close();
    return { role: "assistant", content: this.#parts.filter(({ type }) => type === "text") };
  }

  /** Returns why the arguments of a call are invalid, by call id. */
  get problems(): ReadonlyMap<string, string> {
    return this.#problems;
  }

  #close(metadata?: PartMetadata): void {
    const open = this.#open;
    this.#open = undefined;
    // A provider may send the signature of a reasoning whose text it withholds.
    if (open && (open.text !== "" || metadata)) this.#parts.push({ ...open, ...(metadata && { metadata }) });
  }

  #addCall({ callId, tool, input, metadata }: Extract<ModelPart, { type: "tool_call" }>): void {
    const id = this.#uniqueId(callId);
    const parsed = parseArguments(input);
    if (typeof parsed === "string") this.#problems.set(id, parsed);
    const args = typeof parsed === "string" ? {} : parsed;
    this.#parts.push({ type: "tool_call", callId: id, tool, args, ...(metadata && { metadata }) });
  }

  #uniqueId(callId: string): string {
    const isUsed = (id: string) =>
      id === "" || this.#usedIds.has(id) || this.#parts.some((part) => part.type === "tool_call" && part.callId === id);
    let id = callId;
    for (let count = 2; isUsed(id); count++) id = `${callId || "call"}_${count}`;
    return id;
  }
}

/** Returns the arguments, or a message for the model. Treats an empty text as no arguments. */
function parseArguments(input: string): JsonObject | string {
  if (input.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(input);
    return isJsonObject(value) ? value : `The arguments must be a JSON object, and these are not: ${input}`;
  } catch (thrown) {
    return `The arguments are not valid JSON (${(thrown as Error).message}): ${input}`;
  }
}
