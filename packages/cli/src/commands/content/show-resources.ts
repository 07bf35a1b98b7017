/** Implements `plugboard resources`. */
import type { ResourceList, ResourceTemplateList } from "@plugboard/contracts";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showList } from "./show-list.ts";
import type { ShowListInput } from "./show-list.ts";

/** Lists resources and resource templates. */
export function showResources(input: ShowListInput, cli: CliContext): Promise<number> {
  return showList(input, cli, async (workspace, filter) => {
    const [listed, templated] = await Promise.all([
      workspace.resources.list(filter),
      workspace.resources.templates(filter),
    ]);
    return {
      items: { resources: listed.resources, templates: templated.templates },
      text: renderResources(listed, templated),
      errors: { ...listed.errors, ...templated.errors },
      dropped: [...(listed.dropped ?? []), ...(templated.dropped ?? [])],
    };
  });
}

function renderResources({ resources }: ResourceList, { templates }: ResourceTemplateList): string {
  if (resources.length === 0 && templates.length === 0) return "No resources.\n";
  const rows = resources.map(({ server, uri, title, name, mimeType }) => [server, uri, title ?? name, mimeType ?? "–"]);
  const templateRows = templates.map(({ server, uriTemplate, title, name, mimeType }) => [
    server,
    uriTemplate,
    title ?? name,
    mimeType ?? "–",
  ]);
  const tables = [
    ...(rows.length === 0 ? [] : [renderTable(["SERVER", "URI", "NAME", "TYPE"], rows)]),
    ...(templateRows.length === 0 ? [] : [renderTable(["SERVER", "URI TEMPLATE", "NAME", "TYPE"], templateRows)]),
  ];
  return tables.join("\n");
}
