/** Clients of the gateway: who is connected, their tokens, and how to set up another one. */
import { Notice, View } from "../../components/layout.tsx";
import { ConnectedClients } from "./connected-clients.tsx";
import { HostCard } from "./host-card.tsx";
import { MachineClients } from "./machine-clients.tsx";
import { OtherClient } from "./other-client.tsx";
import { Tokens } from "./tokens.tsx";
import { useHostOverview } from "./use-host-overview.ts";

export function ClientsView() {
  const { data: overview, error } = useHostOverview();
  if (!overview) {
    return <View title="Clients">{error !== undefined && <Notice tone="danger">{error}</Notice>}</View>;
  }
  const { profiles, endpoint, running } = overview;
  const fronts = running?.clients.connected ?? [];
  return (
    <View title="Clients">
      {error !== undefined && <Notice tone="danger">{error}</Notice>}
      <ConnectedClients fronts={fronts} />
      <MachineClients profiles={profiles} />
      <Tokens profiles={profiles} endpoint={endpoint} fronts={fronts} />
      <OtherClient endpoint={endpoint} />
      {running && <HostCard overview={overview} running={running} />}
    </View>
  );
}
