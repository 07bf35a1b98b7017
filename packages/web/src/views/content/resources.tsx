/** The list of the resources of all servers, and the content of the chosen one. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { EmptyState } from "../../components/layout.tsx";
import { ListHead } from "../../components/list-head.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { plural } from "../../format/format.ts";
import { itemKey } from "../../format/item-key.ts";
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
          <ListHead
            label="Filter resources"
            placeholder="Filter"
            query={filter}
            onQuery={setFilter}
            count={plural(shown.length, "resource")}
          />
          <VirtualList items={shown} rowHeight={52} label="Resources" keyOf={({ server, uri }) => itemKey(server, uri)}>
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
          <ResourceReader key={itemKey(chosen.server, chosen.uri)} {...chosen} />
        ) : (
          <div className="card">
            <EmptyState title={list.loading ? "Loading…" : shown.length === 0 ? "No resources" : "Choose a resource"} />
          </div>
        )}
      </div>
    </>
  );
}
