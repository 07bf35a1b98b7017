/** The native tool `write_file`. Creates or replaces a text file of the workspace. */
import { textDiff } from "../../lib/text-diff.ts";
import type { NativeTool } from "../../tools/native-tool.ts";
import { optionalString, requiredString, textToolResult } from "../../tools/native-result.ts";
import { decodeText } from "./decode-text.ts";
import { previewOrReject, resultOrProblem } from "./tool-problem.ts";
import { describePath } from "./workspace-folder.ts";
import type { WorkspaceFolder } from "./workspace-folder.ts";

const NAME = "write_file";

export function writeFileTool(folder: WorkspaceFolder): NativeTool {
  return {
    name: NAME,
    description:
      "Creates a text file of the workspace, with its missing folders, or replaces its whole content. " +
      "To change a part of a file, use edit_file.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "The path, relative to the workspace or absolute" },
        content: { type: "string", description: "The new content of the file" },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    asks: true,
    resolvePaths: (args) => folder.resolveArguments(args, ["path"]),
    preview: (args) =>
      previewOrReject(NAME, async () => {
        const [path, content] = [requiredString(args, "path"), optionalString(args, "content") ?? ""];
        const shown = describePath(await folder.checkWritable(path));
        const before = await folder.readIfPresent(path);
        if (!before) return `New file ${shown}:\n${textDiff("", content)}`;
        const decoded = decodeText(before.bytes);
        if (!decoded) return `Replaces the binary file ${shown} (${before.bytes.length} bytes) with:\n${content}`;
        return `${shown}:\n${textDiff(decoded.text, content) || "[no change]"}`;
      }),
    run: (args) =>
      resultOrProblem(async () => {
        const [path, content] = [requiredString(args, "path"), optionalString(args, "content") ?? ""];
        return folder.exclusively(path, async () => {
          const before = await folder.readIfPresent(path);
          await folder.write(path, content, before?.stats);
          const lines = content.split("\n").length - (content.endsWith("\n") || content === "" ? 1 : 0);
          return textToolResult(`${before ? "Replaced" : "Created"} "${path}" (${lines} lines).`);
        });
      }),
  };
}
