/** Collects the parts of a streamed answer into a message. Pure. */
import type { ChatAssistantMessage, ChatText, ChatToolCall, ProviderMetadata } from "@plugboard/contracts";
import type { DeltaPart, ModelPart } from "./model.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { ToolDefinition } from "./tools.ts";

interface OpenPart {
  readonly type: "text" | "reasoning";
  text: string;
  metadata?: ProviderMetadata;
}

/** More calls would block the host, and no task needs them at once. */
const MAX_CALLS = 128;

type Finish = Extract<ModelPart, { type: "finish" }>;

export class StreamedAnswer {
  #parts: (OpenPart | ChatToolCall)[] = [];
  /** The texts and reasonings that have not ended, by id. */
  readonly #open = new Map<string | undefined, OpenPart>();
  readonly #problems = new Map<string, string>();
  readonly #usedIds: ReadonlySet<string>;
  readonly #newId: () => string;
  readonly #offered: readonly ToolDefinition[];
  readonly #modelCallIds = new Set<string>();
  #calls = 0;
  /** The first call above the limit. Its result tells the model that this call and all later ones did not run. */
  #firstIgnored: string | undefined;
  finish: Finish | undefined;

  /**
   * `usedIds`: the model's ids of earlier calls. Some model servers use them again, so new calls get other ids. `newId`
   * makes the ids of the calls. `offered`: the tools that the model got.
   */
  constructor(
    usedIds: ReadonlySet<string>,
    newId: () => string = () => crypto.randomUUID(),
    offered: readonly ToolDefinition[] = [],
  ) {
    this.#usedIds = usedIds;
    this.#newId = newId;
    this.#offered = offered;
  }

  add(part: ModelPart): void {
    switch (part.type) {
      case "text":
      case "reasoning":
        this.#addDelta(part);
        break;
      case "end":
        this.#addMetadata(this.#open.get(part.id), part.metadata);
        this.#open.delete(part.id);
        break;
      case "tool_call":
        this.#open.delete(undefined);
        this.#addCall(part);
        break;
      case "retry":
        this.#parts = [];
        this.#open.clear();
        this.#problems.clear();
        this.#modelCallIds.clear();
        this.#calls = 0;
        this.#firstIgnored = undefined;
        break;
      case "finish":
        this.finish = part;
        break;
    }
  }

  /**
   * Leaves out empty parts. A reasoning with metadata is not empty: a provider may withhold its text and only sign it.
   */
  message(): ChatAssistantMessage {
    return { role: "assistant", content: this.#parts.filter((part) => !("text" in part && isEmpty(part))) };
  }

  /**
   * Returns the text of a cancelled answer. Providers accept no unfinished reasoning, and calls of a broken answer must
   * not run.
   */
  cancelledMessage(): ChatAssistantMessage {
    const texts = this.#parts.filter((part) => part.type === "text" && part.text !== "") as ChatText[];
    return { role: "assistant", content: texts.map(({ type, text }) => ({ type, text })), cancelled: true };
  }

  /** Returns why the arguments of a call are invalid, by call id. */
  get problems(): ReadonlyMap<string, string> {
    return this.#problems;
  }

  #addDelta({ type, id, delta, metadata }: DeltaPart): void {
    let open = this.#open.get(id);
    if (open?.type !== type) {
      open = { type, text: "" };
      this.#open.set(id, open);
      this.#parts.push(open);
    }
    open.text += delta;
    this.#addMetadata(open, metadata);
  }

  #addMetadata(part: OpenPart | undefined, metadata: ProviderMetadata | undefined): void {
    if (part && metadata) part.metadata = metadata;
  }

  #addCall({ callId, tool, input, metadata }: Extract<ModelPart, { type: "tool_call" }>): void {
    this.#calls += 1;
    if (this.#firstIgnored !== undefined) return this.#countIgnored(this.#firstIgnored);
    const id = this.#newId();
    const modelCallId = this.#uniqueId(callId);
    const isIgnored = this.#calls > MAX_CALLS;
    const parsed = isIgnored ? {} : parseArguments(input);
    if (typeof parsed === "string") this.#problems.set(id, parsed);
    const { source, displayName = source } = this.#offered.find(({ name }) => name === tool) ?? {};
    this.#parts.push({
      type: "tool_call",
      callId: id,
      modelCallId,
      tool,
      ...(displayName !== undefined && { source: displayName }),
      args: typeof parsed === "string" ? {} : parsed,
      ...(metadata && { metadata }),
    });
    if (!isIgnored) return;
    this.#firstIgnored = id;
    this.#countIgnored(id);
  }

  #countIgnored(callId: string): void {
    const ignored = this.#calls - MAX_CALLS;
    const problem = `An answer can have ${MAX_CALLS} calls. This call and the ${ignored - 1} after it were ignored.`;
    this.#problems.set(callId, problem);
  }

  #uniqueId(modelCallId: string): string {
    const base = modelCallId || "call";
    const isUsed = (id: string) => id === "" || this.#usedIds.has(id) || this.#modelCallIds.has(id);
    let id = modelCallId;
    for (let count = 2; isUsed(id); count++) id = `${base}_${count}`;
    this.#modelCallIds.add(id);
    return id;
  }
}

function isEmpty({ text, metadata }: OpenPart): boolean {
  return text === "" && metadata === undefined;
}
