/** Implements `plugboard resources`. */
import type { ResourceList, ResourceTemplateList } from "@plugboard/contracts";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";
import { listExitStatus, reportListErrors } from "./report-list-errors.ts";

interface ResourcesInput extends CommandOptions {
  readonly server: string | undefined;
}

/** Lists the resources and resource templates of all servers, or of one. */
export function showResources({ server, ...options }: ResourcesInput, cli: CliContext): Promise<number> {
  return withWorkspace(
    options,
    cli,
    async ({ workspace, interrupted }) => {
      const filter = { ...(server !== undefined && { server }), signal: interrupted };
      const [listed, templates] = await Promise.all([
        workspace.resources.list(filter),
        workspace.resources.templates(filter),
      ]);
      const errors = { ...listed.errors, ...templates.errors };
      if (options.json) cli.stdout.json({ resources: listed.resources, templates: templates.templates, errors });
      else cli.stdout.write(renderResources(listed, templates));
      if (!options.json)
        reportListErrors({ errors, dropped: [...(listed.dropped ?? []), ...(templates.dropped ?? [])] }, cli);
      return listExitStatus(errors, listed.resources.length + templates.templates.length);
    },
    { server },
  );
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
