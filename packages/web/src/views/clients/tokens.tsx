/** The tokens of HTTP clients. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ConnectedClient } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { ActionDialog } from "../../components/dialog.tsx";
import { Badge, Card, Notice } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { formatTime } from "../../format/format.ts";
import { useClient } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { TokenDialog } from "./token-dialog.tsx";

interface TokensProps {
  readonly profiles: readonly string[];
  readonly endpoint: string | undefined;
  readonly fronts: readonly ConnectedClient[];
}

export function Tokens({ profiles, endpoint, fronts }: TokensProps) {
  const client = useClient();
  const { report } = useToaster();
  const tokens = useLoad(({ operations }) => operations.tokens(), []);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<string>();
  const isInUse = (name: string) => fronts.some(({ token }) => token === name);
  const revoke = async (name: string) => {
    await report(client.connected.operations.revokeToken(name), `The token ${name} is revoked`);
    setRevoking(undefined);
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
      {tokens.error !== undefined && <Notice tone="danger">{tokens.error}</Notice>}
      {tokens.data?.length === 0 && (
        <p className="muted">No client has a token of its own. A client that uses the URL needs one.</p>
      )}
      {tokens.data?.map(({ name, profile, mayApprove, createdAt }) => (
        <div key={name} className="row" role="group" aria-label={`Token ${name}`}>
          <div className="grow stack-tight">
            <strong className="break">{sanitizeLine(name)}</strong>
            <div className="row-wrap">
              {isInUse(name) && (
                <Badge tone="ok" dot>
                  in use
                </Badge>
              )}
              <Badge>{profile === undefined ? "all servers" : `profile ${sanitizeLine(profile)}`}</Badge>
              {mayApprove && <Badge tone="warn">may approve</Badge>}
              <span className="small muted">created {formatTime(createdAt, Date.now())}</span>
            </div>
          </div>
          <Button small kind="danger" onClick={() => setRevoking(name)}>
            Revoke
          </Button>
        </div>
      ))}
      {revoking !== undefined && (
        <ActionDialog
          title={`Revoke the token ${sanitizeLine(revoking)}?`}
          onClose={() => setRevoking(undefined)}
          action="Revoke"
          kind="danger"
          onAction={() => revoke(revoking)}
        >
          <p>
            {isInUse(revoking) && "A client is using it now. "}
            Its clients are refused at once, and need a new token.
          </p>
        </ActionDialog>
      )}
      {creating && (
        <TokenDialog
          profiles={profiles}
          endpoint={endpoint}
          onClose={() => setCreating(false)}
          onDone={tokens.reload}
        />
      )}
    </Card>
  );
}
