/** The native tool `read_output`. A model uses it to read the rest of an output that was cut. */
import { HostError } from "@plugboard/contracts";
import type { JsonObject, ToolResult } from "@plugboard/contracts";

/** Reads a page of a stored output. Offsets and limits are in characters. Throws `NOT_FOUND` for an unknown id. */
export type ReadOutput = (
  id: string,
  range: { readonly offset: number; readonly limit: number },
) => Promise<OutputPage>;

interface OutputPage {
  readonly text: string;
  readonly offset: number;
  /** The offset of the next page. Undefined on the last page. */
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

/** The characters per page. Short enough that a page is rarely cut itself. */
const PAGE_LENGTH = 30_000;

export function readOutputTool(read: ReadOutput, pageLength = PAGE_LENGTH): ReadOutputTool {
  return {
    name: NAME,
    description:
      "Reads more of a tool output that was cut because it was too long. The note at the cut gives the id and the offset.",
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", description: "The id from the note." },
        offset: { type: "integer", minimum: 0, description: "The first character to read. Default: 0." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: pageLength,
          description: `The number of characters to read. Default: ${pageLength}.`,
        },
      },
      required: ["id"],
      additionalProperties: false,
    },
    async run({ id, offset = 0, limit = pageLength }) {
      if (typeof id !== "string") return errorResult('"id" must be the id of an output, from the note at the cut.');
      if (!isNonNegativeInteger(offset) || !isNonNegativeInteger(limit) || limit === 0)
        return errorResult('"offset" and "limit" must be whole numbers of characters.');
      try {
        return pageResult(id, await read(id, { offset, limit: Math.min(limit, pageLength) }));
      } catch (thrown) {
        if (!(thrown instanceof HostError && thrown.code === "NOT_FOUND")) throw thrown;
        return errorResult(
          "There is no output with this id. It may have been removed. Repeat the call that returned it.",
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
