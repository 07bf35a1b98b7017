/** Tools that are denied or switched off. The view of each has the controls to offer it again. */
import { useMemo } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { HiddenTool, PermissionRule } from "@plugboard/contracts";
import { Badge, Card } from "../../components/layout.tsx";
import { itemKey } from "../../format/item-key.ts";
import { hrefOf } from "../../hooks/route.ts";
import { usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { ToolSwitch } from "./tool-switch.tsx";

export interface UnlistedTools {
  readonly denied: readonly HiddenTool[];
  readonly off: readonly HiddenTool[];
}

export function useUnlistedTools(): UnlistedTools {
  const revision = usePage((state) => state.configRevision);
  const off = useLoad(({ operations }) => operations.hiddenTools(), [revision]).data;
  const rules = useLoad(({ operations }) => operations.rules(), [revision]).data;
  return useMemo(() => ({ denied: deniedTools(rules ?? []), off: off ?? [] }), [off, rules]);
}

/** Shows the denied and switched-off tools that match a search, because the list of tools does not contain them. */
export function UnlistedMatches({ unlisted: { denied, off }, query }: { unlisted: UnlistedTools; query: string }) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = [...denied, ...off].filter(({ server, tool }) =>
    words.every((word) => `${server}:${tool}`.toLowerCase().includes(word)),
  );
  if (words.length === 0 || matches.length === 0) return null;
  return (
    <div className="card-body stack-tight small">
      <span className="muted">
        {matches.length === 1
          ? "1 tool that is denied or off matches:"
          : `${matches.length} tools that are denied or off match:`}
      </span>
      {matches.slice(0, MAX_MATCHES).map((one) => (
        <ToolLink key={itemKey(one.server, one.tool)} {...one} />
      ))}
    </div>
  );
}

const MAX_MATCHES = 10;

export function HiddenTools({ unlisted: { denied, off: hidden } }: { unlisted: UnlistedTools }) {
  if (hidden.length + denied.length === 0) return null;
  return (
    <Card title="Denied or switched off">
      {denied.map(({ server, tool }) => (
        <div key={itemKey(server, tool)} className="row">
          <ToolLink server={server} tool={tool} />
          <Badge tone="danger">denied</Badge>
        </div>
      ))}
      {hidden.map(({ server, tool }) => (
        <div key={itemKey(server, tool)} className="row">
          <ToolLink server={server} tool={tool} />
          <ToolSwitch server={server} tool={tool} enabled={false} />
        </div>
      ))}
    </Card>
  );
}

function ToolLink({ server, tool }: HiddenTool) {
  return (
    <a className="grow" href={hrefOf("tools", server, tool)}>
      <code>
        {sanitizeLine(server)}:{sanitizeLine(tool)}
      </code>
    </a>
  );
}

/** Returns the tools that rules deny by their own names. A pattern may deny more. */
function deniedTools(rules: readonly PermissionRule[]): HiddenTool[] {
  const names = new Set(rules.filter(({ effect }) => effect === "deny").map(({ rule }) => rule));
  return [...names].flatMap((rule) => {
    const [, server, tool] = /^([^:*]+):([^*(]+)$/.exec(rule) ?? [];
    return server === undefined || tool === undefined ? [] : [{ server, tool }];
  });
}
