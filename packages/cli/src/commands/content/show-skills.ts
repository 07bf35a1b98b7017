/** Implements `plugboard skills`. */
import type { SkillList } from "@plugboard/contracts";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showList } from "./show-list.ts";
import type { ShowListInput } from "./show-list.ts";

export function showSkills(input: ShowListInput, cli: CliContext): Promise<number> {
  return showList(input, cli, async (workspace, filter) => {
    const { skills, ...problems } = await workspace.skills.list(filter);
    return { items: { skills }, text: renderSkills(skills), ...problems };
  });
}

function renderSkills(skills: SkillList["skills"]): string {
  if (skills.length === 0) return "No skills.\n";
  const rows = skills.map(({ server, uri, name, description = "" }) => [
    server,
    name,
    uri,
    description.trim().split("\n", 1)[0]!,
  ]);
  return renderTable(["SERVER", "SKILL", "URI", "DESCRIPTION"], rows);
}
