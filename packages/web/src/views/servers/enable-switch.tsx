/** Enables or disables a server in its config file. */
import { useEffect, useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { Switch } from "../../components/field.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient } from "../../store/context.tsx";

export function EnableSwitch({ server: { id, enabled } }: { server: ServerStatus }) {
  const client = useClient();
  const { report } = useToaster();
  const [wanted, setWanted] = useState<boolean>();
  useEffect(() => setWanted(undefined), [enabled]);
  const change = (next: boolean) => {
    setWanted(next);
    void report(client.connected.management.enableServer(id, next), `${id} is ${next ? "enabled" : "disabled"}`).then(
      (ok) => !ok && setWanted(undefined),
    );
  };
  return <Switch checked={wanted ?? enabled} label={`Enable ${sanitizeLine(id)}`} onChecked={change} />;
}
