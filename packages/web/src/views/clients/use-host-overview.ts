/**
 * Loads the host overview, and reloads it when a client connects, disconnects or calls a tool.
 * Reloads for calls are delayed, because calls come in bursts.
 */
import { useEffect, useState } from "react";
import type { HostEvent, HostOverview } from "@plugboard/contracts";
import { useClient, usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import type { Loaded } from "../../hooks/use-load.ts";

const CALLS_DELAY_MS = 500;

export function useHostOverview(): Loaded<HostOverview> {
  const client = useClient();
  const configRevision = usePage((state) => state.configRevision);
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reload = () => {
      clearTimeout(timer);
      timer = undefined;
      setRevision((old) => old + 1);
    };
    const stop = client.onEvent((event) => {
      if (event.type === "clients.changed" || event.type === "events.missed") reload();
      else if (isCallOfClient(event)) timer ??= setTimeout(reload, CALLS_DELAY_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client]);
  return useLoad(({ operations }) => operations.overview(), [revision, configRevision]);
}

function isCallOfClient(event: HostEvent): boolean {
  return (event.type === "call.started" || event.type === "decision.made") && event.caller.kind === "front";
}
