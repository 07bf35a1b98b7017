/** The MCP clients that use the gateway now. */
import { sanitizeLine, formatDuration } from "@plugboard/contracts";
import type { ConnectedClient } from "@plugboard/contracts";
import { Badge, Card, EmptyState } from "../../components/layout.tsx";
import { useNow } from "../../hooks/use-now.ts";

export function ConnectedClients({ fronts }: { fronts: readonly ConnectedClient[] }) {
  const now = useNow(5000);
  return (
    <Card title="Connected now" flush={fronts.length > 0}>
      {fronts.length === 0 ? (
        <EmptyState title="No client is connected">
          <p>Set one up below. It appears here with its first request.</p>
        </EmptyState>
      ) : (
        <>
          <div className="table-scroll">
            <table className="table table-cards">
              <thead>
                <tr>
                  <th scope="col">Client</th>
                  <th scope="col">Token</th>
                  <th scope="col">Transport</th>
                  <th scope="col">Protocol</th>
                  <th scope="col">Profile</th>
                  <th scope="col">Connected</th>
                  <th scope="col" className="number">
                    Calls
                  </th>
                  <th scope="col">Last call</th>
                </tr>
              </thead>
              <tbody>
                {fronts.map((front) => (
                  <FrontRow key={keyOf(front)} front={front} now={now} />
                ))}
              </tbody>
            </table>
          </div>
          <p className="small muted table-note">
            Name and version are what the client says about itself. Only the token is checked.
          </p>
        </>
      )}
    </Card>
  );
}

function FrontRow({ front, now }: { front: ConnectedClient; now: number }) {
  const { name, version = "", token, transport, era, revision = "", profile, connectedAt, calls, lastCallAt } = front;
  return (
    <tr>
      <td>
        <strong>{name === undefined ? "unnamed" : sanitizeLine(name)}</strong>{" "}
        <span className="small muted">{sanitizeLine(version)}</span>
      </td>
      <td data-label="Token">{token === undefined ? <span className="muted">none</span> : sanitizeLine(token)}</td>
      <td data-label="Transport">{transport === "http" ? "HTTP" : "stdio"}</td>
      <td data-label="Protocol">
        <span>
          {era !== undefined && <Badge tone={era === "modern" ? "info" : "neutral"}>{era}</Badge>}{" "}
          <span className="small muted">{sanitizeLine(revision)}</span>
        </span>
      </td>
      <td data-label="Profile">
        {profile === undefined ? <span className="muted">all servers</span> : sanitizeLine(profile)}
      </td>
      <td data-label="Connected">{formatDuration(now - connectedAt)}</td>
      <td data-label="Calls" className="number">
        {calls.toLocaleString("en")}
      </td>
      <td data-label="Last call">
        {lastCallAt === undefined ? <span className="muted">none</span> : `${formatDuration(now - lastCallAt)} ago`}
      </td>
    </tr>
  );
}

function keyOf({ token, name, revision, profile, connectedAt }: ConnectedClient): string {
  return JSON.stringify([token, name, revision, profile, connectedAt]);
}
