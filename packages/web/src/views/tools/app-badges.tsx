/** Says how a tool takes part in MCP Apps. Draws nothing for a tool that does not. */
import type { OfferedTool } from "@plugboard/contracts";
import { Badge } from "../../components/layout.tsx";

export function AppBadges({ tool: { ui } }: { tool: OfferedTool }) {
  return (
    <>
      {ui?.resourceUri !== undefined && <Badge tone="info">App</Badge>}
      {ui?.forModel === false && <Badge>only for Apps</Badge>}
    </>
  );
}
