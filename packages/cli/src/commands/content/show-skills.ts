/** Implements `plugboard skills`. */
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";
import { listExitStatus, reportListErrors } from "./report-list-errors.ts";

interface SkillsInput extends CommandOptions {
  readonly server: string | undefined;
}

/** Lists the skills of all servers, or of one. */
export function showSkills({ server, ...options }: SkillsInput, cli: CliContext): Promise<number> {
  return withWorkspace(
    options,
    cli,
    async ({ workspace, interrupted }) => {
      const list = await workspace.skills.list({ ...(server !== undefined && { server }), signal: interrupted });
      const { skills, errors } = list;
      const rows = skills.map(({ server: id, uri, name, description = "" }) => [
        id,
        name,
        uri,
        description.trim().split("\n", 1)[0]!,
      ]);
      if (options.json) cli.stdout.json({ skills, errors });
      else if (rows.length === 0) cli.stdout.write("No skills.\n");
      else cli.stdout.write(renderTable(["SERVER", "SKILL", "URI", "DESCRIPTION"], rows));
      if (!options.json) reportListErrors(list, cli);
      return listExitStatus(errors, skills.length);
    },
    { server },
  );
}
