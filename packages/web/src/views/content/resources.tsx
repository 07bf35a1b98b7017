import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { TextInput } from "../../components/field.tsx";
import { EmptyState } from "../../components/layout.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { plural } from "../../format/format.ts";
import { itemsOf, useServerLists } from "./use-server-lists.ts";
import { ListErrors } from "./list-errors.tsx";
import { ResourceReader } from "./resource-reader.tsx";

export function Resources() {
  const list = useServerLists(async (workspace, server) => {
    const listed = await workspace.resources.list({ server });
    return itemsOf(server, listed.resources, listed.errors);
  });
  const [filter, setFilter] = useState("");
  const [chosen, setChosen] = useState<{ server: string; uri: string }>();
  const word = filter.trim().toLowerCase();
  const shown = list.items.filter(({ server, uri, name }) => `${server} ${uri} ${name}`.toLowerCase().includes(word));
  return (
    <>
      <ListErrors errors={list.errors} />
      <div className="split">
        <div className="card list-panel list-panel-short">
          <div className="card-head">
            <TextInput
              type="search"
              aria-label="Filter resources"
              placeholder="Filter"
              value={filter}
              onValue={setFilter}
            />
            <span className="small muted">{plural(shown.length, "resource")}</span>
          </div>
          <VirtualList items={shown} rowHeight={52} label="Resources" keyOf={({ server, uri }) => `${server}\n${uri}`}>
            {({ server, uri, name, title }) => (
              <button
                type="button"
                className="tool-row"
                aria-current={chosen?.server === server && chosen.uri === uri}
                onClick={() => setChosen({ server, uri })}
              >
                <span className="row">
                  <span className="cut grow">{sanitizeLine(title ?? name)}</span>
                  <span className="small muted">{sanitizeLine(server)}</span>
                </span>
                <code className="small muted cut">{sanitizeLine(uri)}</code>
              </button>
            )}
          </VirtualList>
        </div>
        {chosen ? (
          <ResourceReader key={`${chosen.server}\n${chosen.uri}`} {...chosen} />
        ) : (
          <div className="card">
            <EmptyState title={list.loading ? "Loading…" : shown.length === 0 ? "No resources" : "Choose a resource"} />
          </div>
        )}
      </div>
    </>
  );
}
