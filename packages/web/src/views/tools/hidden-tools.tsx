/** Tools that are denied or switched off. The view of each has the controls to offer it again. */
import { sanitizeLine } from "@plugboard/contracts";
import type { HiddenTool, PermissionRule } from "@plugboard/contracts";
import { Badge, Card } from "../../components/layout.tsx";
import { itemKey } from "../../format/item-key.ts";
import { hrefOf } from "../../shell/route.ts";
import { usePage } from "../../store/context.tsx";
import { useLoad } from "../../store/use-load.ts";
import { ToolSwitch } from "./tool-switch.tsx";

export function HiddenTools() {
  const revision = usePage((state) => state.configRevision);
  const hidden = useLoad(({ management }) => management.hiddenTools(), [revision]).data ?? [];
  const rules = useLoad(({ management }) => management.rules(), [revision]).data ?? [];
  const denied = deniedTools(rules);
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
