/** The native tool `edit_file`. Replaces a piece of a text file of the workspace. */
import type { Stats } from "node:fs";
import type { JsonObject } from "@plugboard/contracts";
import { textDiff } from "../../lib/text-diff.ts";
import type { NativeTool } from "../../tools/native-tool.ts";
import { optionalString, requiredString, textToolResult } from "../../tools/native-result.ts";
import { decodeText } from "./decode-text.ts";
import { ToolProblem, previewOrReject, resultOrProblem } from "./tool-problem.ts";
import { replaceText } from "./replace-text.ts";
import { describePath } from "./workspace-folder.ts";
import type { WorkspaceFolder } from "./workspace-folder.ts";

const NAME = "edit_file";

interface Edit {
  readonly path: string;
  /** The path for the user, see `describePath`. */
  readonly shown: string;
  readonly before: string;
  readonly after: string;
  /** The byte order mark, or an empty string. */
  readonly bom: string;
  /** The number of replaced occurrences. */
  readonly count: number;
  readonly stats: Stats;
}

export function editFileTool(folder: WorkspaceFolder): NativeTool {
  return {
    name: NAME,
    description:
      "Replaces text in a file of the workspace. old_text must match the file exactly, including indentation, and must " +
      "occur once; add surrounding lines to make it unique. Or set replace_all to replace every occurrence.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "The path, relative to the workspace or absolute" },
        old_text: { type: "string", minLength: 1, description: "The text to replace" },
        new_text: { type: "string", description: "The text to put in its place" },
        replace_all: { type: "boolean", description: "Replace every occurrence. Default: false" },
      },
      required: ["path", "old_text", "new_text"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    asks: true,
    resolvePaths: (args) => folder.resolveArguments(args, ["path"]),
    preview: (args) =>
      previewOrReject(NAME, async () => {
        const { shown, before, after } = await prepareEdit(folder, args);
        return `${shown}:\n${textDiff(before, after)}`;
      }),
    run: (args) =>
      resultOrProblem(() =>
        folder.exclusively(requiredString(args, "path"), async () => {
          const { path, bom, after, count, stats } = await prepareEdit(folder, args);
          await folder.write(path, `${bom}${after}`, stats);
          return textToolResult(`Replaced ${count === 1 ? "1 occurrence" : `${count} occurrences`} in "${path}".`);
        }),
      ),
  };
}

async function prepareEdit(folder: WorkspaceFolder, args: JsonObject): Promise<Edit> {
  const path = requiredString(args, "path");
  const oldText = requiredString(args, "old_text");
  const newText = optionalString(args, "new_text") ?? "";
  const shown = describePath(await folder.checkWritable(path));
  const { bytes, stats } = await folder.read(path);
  const decoded = decodeText(bytes);
  if (!decoded) throw new ToolProblem(`"${path}" is a binary file.`);
  const { text: before, bom } = decoded;
  const replaced = replaceText(before, { oldText, newText, all: args["replace_all"] === true });
  if ("occurrences" in replaced) throw new ToolProblem(matchProblem(path, replaced.occurrences));
  if (replaced.text === before) throw new ToolProblem("old_text and new_text are equal, so nothing would change.");
  return { path, shown, before, after: replaced.text, bom, count: replaced.count, stats };
}

function matchProblem(path: string, occurrences: number): string {
  if (occurrences === 0) return `old_text does not occur in "${path}". Read the file and copy the text exactly.`;
  return (
    `old_text occurs ${occurrences} times in "${path}". ` +
    "Add surrounding lines so that it occurs once, or set replace_all."
  );
}
