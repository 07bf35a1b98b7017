/** Enables or disables a server in its config file. */
import { useEffect, useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { Switch } from "../../components/field.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient } from "../../hooks/context.tsx";

export function EnableSwitch({ server: { id, enabled, source } }: { server: ServerStatus }) {
  const client = useClient();
  const { report } = useToaster();
  const [wanted, setWanted] = useState<boolean>();
  useEffect(() => setWanted(undefined), [enabled]);
  const change = (next: boolean) => {
    setWanted(next);
    void report(client.connected.operations.enableServer(id, next), `${id} is ${next ? "enabled" : "disabled"}`).then(
      (ok) => !ok && setWanted(undefined),
    );
  };
  const label = `Enable ${sanitizeLine(id)}`;
  // Only the administrator changes the administrator's servers.
  return <Switch checked={wanted ?? enabled} label={label} disabled={source === "managed"} onChecked={change} />;
}
