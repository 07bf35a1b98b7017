/** The native tools `glob` and `grep`. They find files of the workspace by name and by content. */
import { lstat, stat } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject, ToolResult } from "@plugboard/contracts";
import type { NativeTool } from "../../tools/native-tool.ts";
import { ToolProblem, resultOrProblem, toToolProblem } from "../files/tool-problem.ts";
import { FILE_READ_ANNOTATIONS } from "../files/read-file-tool.ts";
import type { WorkspaceFolder } from "../files/workspace-folder.ts";
import { optionalString, requiredString, textToolResult } from "../../tools/native-result.ts";
import type { Policy } from "../../policy/policy.ts";
import { readRuleTexts } from "./read-rule-texts.ts";
import type { SearchJob, SearchScope } from "./search-job.ts";
import type { SearchThreads } from "./search-threads.ts";

export interface SearchToolsOptions {
  readonly folder: WorkspaceFolder;
  readonly threads: SearchThreads;
  /** Returns the current rules. Files that a rule for `read_file` denies are not searched. */
  readonly policy: () => Policy;
}

const MAX_CONTEXT = 10;

const PATH_SCHEMA = { type: "string", description: "Where to search, relative to the workspace. Default: all of it" };
const INCLUDE_IGNORED_SCHEMA = {
  type: "boolean",
  description: "Also search node_modules and files that .gitignore excludes. Default: false",
};

export function globTool(options: SearchToolsOptions): NativeTool {
  return {
    name: "glob",
    description:
      "Finds files of the workspace by their paths. `*` and `?` match within a name, `**` any folders, `{a,b}` and `[a-z]` " +
      "choices. A pattern without a slash matches names in every folder. Leaves out files that .gitignore excludes.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, maxLength: 1000, description: "For example `src/**/*.ts` or `*.md`" },
        path: PATH_SCHEMA,
        include_ignored: INCLUDE_IGNORED_SCHEMA,
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    annotations: FILE_READ_ANNOTATIONS,
    resolvePaths: (args) => options.folder.resolveArguments(args, ["path"]),
    run: (args, { signal }) =>
      resultOrProblem(async () => {
        const scope = await scopeOf(options, args);
        if (scope.onlyFile !== undefined) throw new ToolProblem('"path" must be a folder.');
        return search({ type: "glob", pattern: requiredString(args, "pattern"), ...scope }, options, signal);
      }),
  };
}

export function grepTool(options: SearchToolsOptions): NativeTool {
  return {
    name: "grep",
    description:
      "Searches the text files of the workspace line by line for a JavaScript regular expression. Returns `path:line:text`. " +
      "Leaves out files that .gitignore excludes.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, maxLength: 1000, description: "The regular expression" },
        literal: { type: "boolean", description: "Search for the pattern as plain text. Default: false" },
        ignore_case: { type: "boolean", description: "Default: false" },
        path: PATH_SCHEMA,
        include: { type: "string", maxLength: 1000, description: "Search only these files, for example `*.{ts,tsx}`" },
        context: { type: "integer", minimum: 0, maximum: MAX_CONTEXT, description: "Lines around each match" },
        include_ignored: INCLUDE_IGNORED_SCHEMA,
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    annotations: FILE_READ_ANNOTATIONS,
    resolvePaths: (args) => options.folder.resolveArguments(args, ["path"]),
    run: (args, { signal }) =>
      resultOrProblem(async () => {
        const { context } = args;
        const job: SearchJob = {
          type: "grep",
          pattern: requiredString(args, "pattern"),
          literal: args["literal"] === true,
          ignoreCase: args["ignore_case"] === true,
          include: optionalString(args, "include"),
          context: typeof context === "number" ? context : 0,
          ...(await scopeOf(options, args)),
        };
        return search(job, options, signal);
      }),
  };
}

async function scopeOf({ folder, policy }: SearchToolsOptions, args: JsonObject): Promise<SearchScope> {
  const given = optionalString(args, "path") ?? ".";
  const { root, names } = await folder.resolve(given);
  const stats = await lstat(join(root, ...names)).catch((error: unknown) => {
    throw toToolProblem(given, error);
  });
  if (!stats.isFile() && !stats.isDirectory()) throw new ToolProblem(`"${given}" is neither a file nor a folder.`);
  const includeIgnored = args["include_ignored"] === true;
  const rules = readRuleTexts(policy());
  const scope = { root, given, rules, includeIgnored, hiddenFolders: await stateFolderId(folder) };
  return stats.isFile() ? { ...scope, start: names.slice(0, -1), onlyFile: names.at(-1) } : { ...scope, start: names };
}

/**
 * Returns the id of Plugboard's state folder as `device:inode`. It is never searched, even if it is in the workspace.
 */
async function stateFolderId({ stateFolder }: WorkspaceFolder): Promise<string[]> {
  if (stateFolder === undefined) return [];
  const stats = await stat(stateFolder, { bigint: true }).catch(() => undefined);
  return stats ? [`${stats.dev}:${stats.ino}`] : [];
}

async function search(
  job: SearchJob,
  { threads }: SearchToolsOptions,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  const result = await threads.search(job, signal);
  if ("problem" in result) throw new ToolProblem(result.problem);
  const { lines, notes } = result;
  const found = lines.length === 0 && notes.length === 0 ? ["[Nothing found.]"] : lines;
  return textToolResult([...found, ...notes.map((note) => `[${note}]`)].join("\n"));
}
