/** The host that this page shows. */
import { sanitizeLine } from "@plugboard/contracts";
import type { HostOverview } from "@plugboard/contracts";
import { Card, Facts } from "../../components/layout.tsx";
import { formatDuration, plural } from "../../format/format.ts";
import { useNow } from "../../store/use-now.ts";

const USERS = "commands, chats and pages";

export function HostCard({ overview }: { overview: HostOverview }) {
  const { clients, version, startedAt, folder, endpoint } = overview;
  const now = useNow(5000);
  return (
    <Card title="This host">
      <Facts
        facts={[
          ["Version", `${version}, running for ${formatDuration(now - startedAt)}`],
          ["Folder", <code key="folder">{sanitizeLine(folder)}</code>],
          ["Address", <code key="address">{endpoint ?? "no port"}</code>],
          ["Other users", clients.other === 0 ? "none" : plural(clients.other, "command, chat or page", USERS)],
        ]}
      />
    </Card>
  );
}
