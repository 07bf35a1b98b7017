/** Switches a tool of a server on and off, in the server's definition. */
import { sanitizeLine } from "@plugboard/contracts";
import { Switch } from "../../components/field.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient } from "../../hooks/context.tsx";

interface ToolSwitchProps {
  readonly server: string;
  readonly tool: string;
  readonly enabled: boolean;
}

export function ToolSwitch({ server, tool, enabled }: ToolSwitchProps) {
  const client = useClient();
  const { report } = useToaster();
  const change = async (wanted: boolean) => {
    await client.connected.operations.enableTool(server, tool, wanted);
    await client.reloadConfig();
  };
  const onChecked = (wanted: boolean) =>
    void report(change(wanted), `${server}:${tool} is switched ${wanted ? "on" : "off"}`);
  return (
    <span className="row small muted">
      <span aria-hidden="true">{enabled ? "on" : "off"}</span>
      <Switch checked={enabled} label={`Offer ${sanitizeLine(tool)}`} onChecked={onChecked} />
    </span>
  );
}
