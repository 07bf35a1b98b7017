/** Makes a valid and unique TypeScript name for the arguments and the result of each tool. Pure. */
import type { OfferedTool } from "@plugboard/contracts";

export interface NamedDeclaration {
  readonly tool: OfferedTool;
  /** For example `FilesReadTextArgs`. */
  readonly args: string;
  /** For example `FilesReadTextResult`. */
  readonly result: string;
}

/** Numbers tools whose names differ only in characters that a TypeScript name can't have. */
export function nameDeclarations(tools: readonly OfferedTool[]): NamedDeclaration[] {
  const used = new Set(["Tools", "ToolContent", "ToolResult"]);
  return tools.map((tool) => {
    const base = toPascalCase(`${tool.server} ${tool.tool}`);
    for (let copy = 1; ; copy++) {
      const name = copy === 1 ? base : `${base}${copy}`;
      const [args, result] = [`${name}Args`, `${name}Result`];
      if (used.has(args) || used.has(result)) continue;
      used.add(args).add(result);
      return { tool, args, result };
    }
  });
}

const MAX_CHARS = 120;

function toPascalCase(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return `${/^\d/.test(name) ? "_" : ""}${name}`.slice(0, MAX_CHARS);
}
