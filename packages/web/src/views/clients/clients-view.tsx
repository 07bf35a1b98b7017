/** Clients of the gateway: who is connected, their tokens, and how to connect another one. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ClientInfo, ClientName, ClientPlan, HostOverview } from "@plugboard/contracts";
import { ActionButton, Button, CodeBlock } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Check, Field, Select, TextInput } from "../../components/field.tsx";
import { Badge, Card, Facts, Notice, View } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { formatDuration, formatTime, plural } from "../../format/format.ts";
import { messageOf, useClient, useLoad, usePage } from "../../store/context.tsx";
import { useNow } from "../../store/use-now.ts";

export function ClientsView() {
  const now = useNow(5000);
  const overview = useLoad(({ management }) => management.overview(), [now]);
  return (
    <View title="Clients">
      {overview.data && <Connected overview={overview.data} now={now} />}
      <OtherClients />
      <Tokens profiles={overview.data?.profiles ?? []} />
      {overview.data?.endpoint !== undefined && <ConnectByUrl endpoint={overview.data.endpoint} />}
    </View>
  );
}

function Connected({ overview, now }: { overview: HostOverview; now: number }) {
  const { clients, version, startedAt, folder, endpoint } = overview;
  const calls = usePage((state) => state.calls);
  const callsOf = (name: string) => calls.filter((call) => call.client === name).length;
  const named = [
    ...clients.names.stdio.map((name) => ({ name, kind: "stdio" })),
    ...clients.names.http.map((name) => ({ name, kind: "HTTP" })),
  ];
  return (
    <Card title="Connected now">
      {named.length === 0 ? (
        <p className="muted">No client is connected. Connect one below.</p>
      ) : (
        named.map(({ name, kind }, index) => (
          <div key={`${kind} ${name} ${index}`} className="row">
            <Badge tone="ok" dot>
              {kind}
            </Badge>
            <span className="grow">{sanitizeLine(name)}</span>
            <span className="small muted">{plural(callsOf(name), "recent call")}</span>
          </div>
        ))
      )}
      <Facts
        facts={[
          ["Host", `version ${version}, running for ${formatDuration(now - startedAt)}`],
          ["Folder", <code key="folder">{sanitizeLine(folder)}</code>],
          ["Address", <code key="address">{endpoint ?? "no port"}</code>],
          ["Others", plural(clients.other, "command, chat or page", "commands, chats and pages")],
        ]}
      />
    </Card>
  );
}

function OtherClients() {
  const clients = useLoad(({ management }) => management.clients(), []);
  const [chosen, setChosen] = useState<ClientName>();
  const installed = (clients.data ?? []).filter((client) => client.installed || client.connectedBy.length > 0);
  const others = (clients.data ?? []).filter((client) => !installed.includes(client));
  const row = ({ client, label, connectedBy }: ClientInfo) => (
    <div key={client} className="row-wrap">
      <strong className="grow">{label}</strong>
      {connectedBy.length > 0 ? (
        <Badge tone="ok" dot>
          connected
        </Badge>
      ) : (
        <Button small onClick={() => setChosen(client)}>
          Connect
        </Button>
      )}
    </div>
  );
  return (
    <Card title="Clients on this machine">
      {clients.error !== undefined && <Notice tone="danger">{clients.error}</Notice>}
      {clients.data && installed.length === 0 && <p className="muted">No known client was found on this machine.</p>}
      {installed.map(row)}
      {others.length > 0 && (
        <details>
          <summary>Clients that were not found</summary>
          <div className="stack">{others.map(row)}</div>
        </details>
      )}
      {chosen && <ConnectDialog client={chosen} onClose={() => setChosen(undefined)} onDone={clients.reload} />}
    </Card>
  );
}

function ConnectDialog({
  client: name,
  onClose,
  onDone,
}: {
  client: ClientName;
  onClose: () => void;
  onDone: () => void;
}) {
  const client = useClient();
  const { report } = useToaster();
  const plan = useLoad(({ management }) => management.planConnect(name), [name]);
  const connect = async () => {
    const done = await report(
      client.connected.management.connectClient(plan.data!.plan),
      `${plan.data!.label} is connected`,
    );
    if (done) onDone();
    onClose();
  };
  return (
    <Dialog
      title={`Connect ${plan.data?.label ?? name}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <ActionButton kind="primary" disabled={!plan.data || plan.data.action === "none"} onAction={connect}>
            Write the file
          </ActionButton>
        </>
      }
    >
      {plan.error !== undefined && <Notice tone="danger">{plan.error}</Notice>}
      {plan.data && <PlannedChange plan={plan.data} />}
    </Dialog>
  );
}

function PlannedChange({ plan: { file, diff, entry, notes } }: { plan: ClientPlan }) {
  return (
    <>
      <p>
        This changes <code>{sanitizeLine(file)}</code>:
      </p>
      <div className="diff code-block" role="group" aria-label="Change of the file" tabIndex={0}>
        {diff.map(({ kind, text }, index) => (
          <div key={index} className={`diff-line diff-${kind}`}>
            {kind === "added" ? "+ " : kind === "removed" ? "− " : "  "}
            {sanitizeLine(text)}
          </div>
        ))}
      </div>
      {notes.map((note) => (
        <Notice key={note}>{sanitizeLine(note)}</Notice>
      ))}
      <details>
        <summary>Write it yourself</summary>
        <CodeBlock label="Entry" text={JSON.stringify(entry, null, 2)} />
      </details>
    </>
  );
}

function Tokens({ profiles }: { profiles: readonly string[] }) {
  const client = useClient();
  const { report } = useToaster();
  const tokens = useLoad(({ management }) => management.tokens(), []);
  const [creating, setCreating] = useState(false);
  const revoke = async (name: string) => {
    await report(client.connected.management.revokeToken(name), `The token ${name} is revoked`);
    tokens.reload();
  };
  return (
    <Card
      title="Tokens"
      actions={
        <Button small onClick={() => setCreating(true)}>
          New token
        </Button>
      }
    >
      {tokens.data?.length === 0 && <p className="muted">No client has a token of its own.</p>}
      {tokens.data?.map(({ name, profile, mayApprove, createdAt }) => (
        <div key={name} className="row-wrap">
          <strong className="grow">{sanitizeLine(name)}</strong>
          <Badge>{profile === undefined ? "all servers" : `profile ${sanitizeLine(profile)}`}</Badge>
          {mayApprove && <Badge tone="warn">may approve</Badge>}
          <span className="small muted">{formatTime(createdAt, Date.now())}</span>
          <ActionButton small kind="danger" onAction={() => revoke(name)}>
            Revoke
          </ActionButton>
        </div>
      ))}
      {creating && <TokenDialog profiles={profiles} onClose={() => setCreating(false)} onDone={tokens.reload} />}
    </Card>
  );
}

function TokenDialog({
  profiles,
  onClose,
  onDone,
}: {
  profiles: readonly string[];
  onClose: () => void;
  onDone: () => void;
}) {
  const client = useClient();
  const [name, setName] = useState("");
  const [profile, setProfile] = useState("");
  const [mayApprove, setMayApprove] = useState(false);
  const [token, setToken] = useState<string>();
  const [error, setError] = useState<string>();
  const create = async () => {
    setError(undefined);
    try {
      const options = { mayApprove, ...(profile !== "" && { profile }) };
      setToken(await client.connected.management.createToken(name.trim(), options));
      onDone();
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  if (token !== undefined) {
    return (
      <Dialog
        title={`Token of ${name}`}
        onClose={onClose}
        actions={
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <Notice tone="warn">Copy it now. It is not shown again.</Notice>
        <CodeBlock label="Token" text={token} />
        <p className="small muted">
          The client sends it in the header <code>Authorization: Bearer …</code>
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog
      title="New token"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <ActionButton kind="primary" disabled={name.trim() === ""} onAction={create}>
            Create
          </ActionButton>
        </>
      }
    >
      <Field label="Name" required hint="The client that uses it, such as cursor.">
        {(attributes) => <TextInput {...attributes} value={name} onValue={setName} />}
      </Field>
      <Field label="What it may use">
        {(attributes) => (
          <Select
            {...attributes}
            value={profile}
            onValue={setProfile}
            choices={[
              { value: "", label: "All servers" },
              ...profiles.map((one) => ({ value: one, label: `Profile ${one}` })),
            ]}
          />
        )}
      </Field>
      <Check checked={mayApprove} onChecked={setMayApprove}>
        The client’s own permission prompt counts as your permission
      </Check>
      {error !== undefined && <Notice tone="danger">{error}</Notice>}
    </Dialog>
  );
}

function ConnectByUrl({ endpoint }: { endpoint: string }) {
  const entry = {
    mcpServers: { plugboard: { type: "http", url: `${endpoint}/mcp`, headers: { Authorization: "Bearer <token>" } } },
  };
  return (
    <Card title="Any other client">
      <p>By URL, with a token from above:</p>
      <CodeBlock label="Entry with a URL" text={JSON.stringify(entry, null, 2)} />
      <p>Or by a command, without a token:</p>
      <CodeBlock
        label="Entry with a command"
        text={JSON.stringify({ mcpServers: { plugboard: { command: "plugboard", args: ["stdio"] } } }, null, 2)}
      />
    </Card>
  );
}
