/** Implements `plugboard prompts`. */
import type { Prompt } from "@plugboard/contracts";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showList } from "./show-list.ts";
import type { ShowListInput } from "./show-list.ts";

export function showPrompts(input: ShowListInput, cli: CliContext): Promise<number> {
  return showList(input, cli, async (workspace, filter) => {
    const { prompts, ...problems } = await workspace.prompts.list(filter);
    const text = prompts.length === 0 ? "No prompts.\n" : renderTable(["PROMPT", "DESCRIPTION"], prompts.map(toRow));
    return { items: { prompts }, text, ...problems };
  });
}

/** Shows a prompt as a signature, such as `github:review(repo, depth?)`. */
function toRow({
  server,
  name,
  title,
  description,
  arguments: args = [],
}: Prompt & { readonly server: string }): string[] {
  const parameters = args.map((argument) => (argument.required ? argument.name : `${argument.name}?`));
  const signature = `${server}:${name}${parameters.length === 0 ? "" : `(${parameters.join(", ")})`}`;
  return [signature, (description ?? title ?? "").trim().split("\n", 1)[0]!];
}
