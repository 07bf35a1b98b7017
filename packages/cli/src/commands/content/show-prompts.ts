/** Implements `plugboard prompts`. */
import type { Prompt } from "@plugboard/contracts";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";
import { listExitStatus, reportListErrors } from "./report-list-errors.ts";

interface PromptsInput extends CommandOptions {
  readonly server: string | undefined;
}

/** Lists the prompts of all servers, or of one. */
export function showPrompts({ server, ...options }: PromptsInput, cli: CliContext): Promise<number> {
  return withWorkspace(
    options,
    cli,
    async ({ workspace, interrupted }) => {
      const list = await workspace.prompts.list({ ...(server !== undefined && { server }), signal: interrupted });
      const { prompts, errors } = list;
      if (options.json) cli.stdout.json({ prompts, errors });
      else if (prompts.length === 0) cli.stdout.write("No prompts.\n");
      else cli.stdout.write(renderTable(["PROMPT", "DESCRIPTION"], prompts.map(toRow)));
      if (!options.json) reportListErrors(list, cli);
      return listExitStatus(errors, prompts.length);
    },
    { server },
  );
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
