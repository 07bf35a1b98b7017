/** The host that this page shows. */
import { sanitizeLine } from "@plugboard/contracts";
import type { HostOverview } from "@plugboard/contracts";
import { Card, Facts } from "../../components/layout.tsx";
import { formatDuration } from "../../format/format.ts";
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
      <Facts
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
