/** The native tool with which a model reads on in an output that was too long for it. */
import { HostError } from "@plugboard/contracts";
import type { JsonObject, ToolResult } from "@plugboard/contracts";

/** Where outputs are kept. Offsets and limits are in characters. Throws `NOT_FOUND` for an id it does not know. */
export type ReadOutput = (
  id: string,
  range: { readonly offset: number; readonly limit: number },
) => Promise<OutputPage>;

interface OutputPage {
  readonly text: string;
  readonly offset: number;
  /** Where the next page begins; nothing at the end. */
  readonly next?: number | undefined;
  readonly total: number;
}

export interface ReadOutputTool {
  readonly name: "read_output";
  readonly description: string;
  readonly inputSchema: JsonObject;
  run(args: JsonObject): Promise<ToolResult>;
}

const NAME = "read_output";

/** Few enough that a page is hardly ever cut in its turn. */
const PAGE_LENGTH = 30_000;

export function readOutputTool(read: ReadOutput, pageLength = PAGE_LENGTH): ReadOutputTool {
  return {
    name: NAME,
    description:
      "Reads on in the output of a tool that was cut because it was too long. The note where it was cut names the id and the offset.",
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", description: "The id in the note." },
        offset: { type: "integer", minimum: 0, description: "The character to begin with; 0 unless given." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: pageLength,
          description: `How many characters; ${pageLength} unless given.`,
        },
      },
      required: ["id"],
      additionalProperties: false,
    },
    async run({ id, offset = 0, limit = pageLength }) {
      if (typeof id !== "string")
        return errorResult('"id" must be the id of an output, as the note where it was cut names it.');
      if (!isNonNegativeInteger(offset) || !isNonNegativeInteger(limit) || limit === 0)
        return errorResult('"offset" and "limit" must be whole numbers of characters.');
      try {
        return pageResult(id, await read(id, { offset, limit: Math.min(limit, pageLength) }));
      } catch (thrown) {
        if (!(thrown instanceof HostError && thrown.code === "NOT_FOUND")) throw thrown;
        return errorResult(
          "There is no output of that id. It may have been removed; make the call again that gave it.",
        );
      }
    },
  };
}

export function readOutputHint(id: string, offset: number): string {
  return `read on with ${NAME} ${JSON.stringify({ id, offset })}`;
}

function pageResult(id: string, { text, offset, next, total }: OutputPage): ToolResult {
  const shown = `characters ${offset} to ${next ?? total} of ${total}`;
  const note = next === undefined ? `[${shown}; this is the end]` : `[${shown}; ${readOutputHint(id, next)}]`;
  return { content: [{ type: "text", text: `${text}\n${note}` }] };
}

function errorResult(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function isNonNegativeInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
