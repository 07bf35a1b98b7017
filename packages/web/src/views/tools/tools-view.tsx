/** The tools of all servers, and one of them. */
import { memo, useDeferredValue, useMemo, useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { Badge, EmptyState, Notice, View } from "../../components/layout.tsx";
import { ListHead } from "../../components/list-head.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { plural } from "../../format/format.ts";
import { isBuiltIn, originText } from "../../format/built-in.ts";
import { itemKey } from "../../format/item-key.ts";
import { hrefOf } from "../../hooks/route.ts";
import { usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { useLapsedTools } from "../inbox/stored-decisions.tsx";
import { AppBadges } from "./app-badges.tsx";
import { HiddenTools, UnlistedMatches, useUnlistedTools } from "./hidden-tools.tsx";
import type { UnlistedTools } from "./hidden-tools.tsx";
import { Rules } from "./rules.tsx";
import { indexTools, searchTools } from "./search-tools.ts";
import { UnofferedTool } from "./unoffered-tool.tsx";
import { ToolCard } from "./tool-card.tsx";
import { ToolSwitch } from "./tool-switch.tsx";
import { TryTool } from "./try-tool.tsx";

const ROW_HEIGHT = 52;
const NO_TOOLS: readonly OfferedTool[] = [];

export function ToolsView({ rest }: { rest: readonly string[] }) {
  const [server, ...toolParts] = rest;
  const name = toolParts.join("/");
  const revision = usePage((state) => state.catalogRevision);
  const loaded = useLoad(({ workspace }) => workspace.tools.list(), [], revision);
  const unlisted = useUnlistedTools();
  const selected = loaded.data?.find((tool) => tool.server === server && tool.tool === name);
  return (
    <View title="Tools">
      {loaded.error !== undefined && <Notice tone="danger">{loaded.error}</Notice>}
      <div className="split">
        <ToolList tools={loaded.data} selected={selected} unlisted={unlisted} />
        <div className="stack">
          {selected ? (
            <ToolDetail key={itemKey(selected.server, selected.tool)} tool={selected} />
          ) : server && name ? (
            loaded.data && <UnofferedTool key={itemKey(server, name)} server={server} tool={name} />
          ) : (
            <div className="card">
              <EmptyState title="Choose a tool">
                <p>
                  {loaded.data?.length === 0
                    ? "No server offers tools yet."
                    : "See what a model sees, try it, and decide who may call it."}
                </p>
              </EmptyState>
            </div>
          )}
          <HiddenTools unlisted={unlisted} />
          <Rules />
        </div>
      </div>
    </View>
  );
}

/** Keeps the query to itself, so that a key press draws only the list again. */
const ToolList = memo(function ToolList({
  tools: loaded,
  selected,
  unlisted,
}: {
  tools: readonly OfferedTool[] | undefined;
  selected: OfferedTool | undefined;
  unlisted: UnlistedTools;
}) {
  const tools = loaded ?? NO_TOOLS;
  const [query, setQuery] = useState("");
  const index = useMemo(() => indexTools(tools.toSorted(builtInLast)), [tools]);
  const deferred = useDeferredValue(query);
  const found = useMemo(() => searchTools(index, deferred), [index, deferred]);
  const lapsed = useLapsedTools();
  return (
    <div className="card list-panel">
      <ListHead
        label="Search tools"
        placeholder="Search all tools"
        query={query}
        onQuery={setQuery}
        count={loaded ? plural(found.length, "tool") : <NotLoaded />}
      />
      <UnlistedMatches unlisted={unlisted} query={deferred} />
      {found.length === 0 && deferred.trim() !== "" && (
        <p className="card-body muted">No offered tool matches. Try fewer words, or a part of a name.</p>
      )}
      <VirtualList
        items={found}
        rowHeight={ROW_HEIGHT}
        label="Tools"
        keyOf={({ server, tool }) => itemKey(server, tool)}
        selected={selected}
      >
        {(tool) => (
          <ToolRow tool={tool} selected={tool === selected} changed={lapsed.has(itemKey(tool.server, tool.tool))} />
        )}
      </VirtualList>
    </div>
  );
});

function ToolRow({ tool, selected, changed }: { tool: OfferedTool; selected: boolean; changed: boolean }) {
  const open = () => {
    location.hash = hrefOf("tools", tool.server, tool.tool);
  };
  return (
    <button type="button" className="tool-row" aria-current={selected} onClick={open}>
      <span className="row">
        <code className="cut grow">{sanitizeLine(tool.tool)}</code>
        <AppBadges tool={tool} />
        {changed && <Badge tone="warn">changed</Badge>}
        <span className="small muted">{originText(tool.server)}</span>
      </span>
      <span className="small muted cut">{sanitizeLine(tool.description)}</span>
    </button>
  );
}

/** The host's own tools come after those of the servers. */
function builtInLast(a: OfferedTool, b: OfferedTool): number {
  return Number(isBuiltIn(a.server)) - Number(isBuiltIn(b.server));
}

/** A tool that is offered: everything about it, and a form to try it. */
function ToolDetail({ tool }: { tool: OfferedTool }) {
  const { server, tool: name, origin } = tool;
  return (
    <>
      <ToolCard tool={tool} actions={origin === "mcp" && <ToolSwitch server={server} tool={name} enabled />} />
      <TryTool tool={tool} />
    </>
  );
}
