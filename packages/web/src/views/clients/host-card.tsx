/** The host that this page shows. */
import { sanitizeLine, formatDuration } from "@plugboard/contracts";
import type { HostOverview } from "@plugboard/contracts";
import { Card, FactList } from "../../components/layout.tsx";
import { useNow } from "../../hooks/use-now.ts";

interface HostCardProps {
  readonly overview: HostOverview;
  readonly running: NonNullable<HostOverview["running"]>;
}

export function HostCard({ overview, running }: HostCardProps) {
  const { version, folder, endpoint } = overview;
  const { startedAt, clients } = running;
  const now = useNow(5000);
  return (
    <Card title="This host">
      <FactList
        facts={[
          ["Version", `${version}, running for ${formatDuration(now - startedAt)}`],
          ["Folder", <code key="folder">{sanitizeLine(folder)}</code>],
          ["Address", <code key="address">{endpoint ?? "no port"}</code>],
          ["Terminals and programs", clients.other === 0 ? "none" : String(clients.other)],
        ]}
      />
    </Card>
  );
}
