/** A tool that is offered: everything about it, and a form to try it. */
import type { OfferedTool } from "@plugboard/contracts";
import { ToolCard } from "./tool-card.tsx";
import { ToolSwitch } from "./tool-switch.tsx";
import { TryTool } from "./try-tool.tsx";

export function ToolDetail({ tool }: { tool: OfferedTool }) {
  const { server, tool: name, origin } = tool;
  return (
    <>
      <ToolCard tool={tool} actions={origin === "mcp" && <ToolSwitch server={server} tool={name} enabled />} />
      <TryTool tool={tool} />
    </>
  );
}
