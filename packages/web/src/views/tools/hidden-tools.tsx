/** Tools that are switched off, to switch them on again. */
import { sanitizeLine } from "@plugboard/contracts";
import { Switch } from "../../components/field.tsx";
import { Card } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { itemKey } from "../../format/item-key.ts";
import { useClient, useLoad, usePage } from "../../store/context.tsx";

export function HiddenTools() {
  const client = useClient();
  const { report } = useToaster();
  const revision = usePage((state) => state.configRevision);
  const hidden = useLoad(({ management }) => management.hiddenTools(), [revision]);
  if (!hidden.data || hidden.data.length === 0) return null;
  const enable = async (server: string, tool: string) => {
    const enabled = async () => {
      await client.connected.management.enableTool(server, tool, true);
      await client.reloadConfig();
    };
    await report(enabled(), `${server}:${tool} is on`);
    hidden.reload();
  };
  return (
    <Card title="Switched off">
      {hidden.data.map(({ server, tool }) => (
        <div key={itemKey(server, tool)} className="row">
          <code className="grow">
            {sanitizeLine(server)}:{sanitizeLine(tool)}
          </code>
          <Switch checked={false} label={`Offer ${sanitizeLine(tool)}`} onChecked={() => void enable(server, tool)} />
        </div>
      ))}
    </Card>
  );
}
