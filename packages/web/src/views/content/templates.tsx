/** The resource templates of all servers. Each can be filled in and read. */
import { useState } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ResourceTemplateList } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { Field, TextInput } from "../../components/field.tsx";
import { Card, EmptyState } from "../../components/layout.tsx";
import { itemKey } from "../../format/item-key.ts";
import { fillTemplate, templateVariables } from "../../format/uri-template.ts";
import { itemsOf, useServerLists } from "./use-server-lists.ts";
import { ListErrors } from "./list-errors.tsx";
import { ResourceReader } from "./resource-reader.tsx";

export function Templates() {
  const list = useServerLists(async (workspace, server) => {
    const listed = await workspace.resources.templates({ server });
    return itemsOf(server, listed.templates, listed.errors);
  });
  return (
    <>
      <ListErrors errors={list.errors} />
      {!list.loading && list.items.length === 0 && <EmptyState title="No server has templates" />}
      <div className="columns">
        {list.items.map((template) => (
          <TemplateCard key={itemKey(template.server, template.uriTemplate)} template={template} />
        ))}
      </div>
    </>
  );
}

function TemplateCard({ template }: { template: ResourceTemplateList["templates"][number] }) {
  const { server, uriTemplate, name, title, description } = template;
  const [values, setValues] = useState<{ readonly [name: string]: string }>({});
  const [uri, setUri] = useState<string>();
  return (
    <div className="stack">
      <Card title={`${sanitizeLine(title ?? name)} · ${sanitizeLine(server)}`}>
        <code>{sanitizeLine(uriTemplate)}</code>
        {description !== undefined && <p className="muted">{sanitize(description)}</p>}
        {templateVariables(uriTemplate).map((variable) => (
          <Field key={variable} label={<code>{sanitizeLine(variable)}</code>}>
            {(attributes) => (
              <TextInput
                {...attributes}
                value={values[variable] ?? ""}
                onValue={(value) => setValues({ ...values, [variable]: value })}
              />
            )}
          </Field>
        ))}
        <div>
          <Button onClick={() => setUri(fillTemplate(uriTemplate, values))}>Read</Button>
        </div>
      </Card>
      {uri !== undefined && <ResourceReader key={uri} server={server} uri={uri} />}
    </div>
  );
}
