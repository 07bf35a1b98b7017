/** Reads one resource and shows its content. The user can have it read again after each update. */
import { useEffect, useState } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { ResourceView } from "../../components/content-view.tsx";
import { Switch } from "../../components/field.tsx";
import { Card, Notice } from "../../components/layout.tsx";
import { formatTime } from "../../format/format.ts";
import { messageOf } from "../../format/message-of.ts";
import { useClient } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";

export function ResourceReader({ server, uri }: { server: string; uri: string }) {
  const contents = useLoad(({ workspace }) => workspace.resources.read(server, uri), [server, uri]);
  const detail = useLoad(({ workspace }) => workspace.servers.detail(server), [server]);
  const live = useLive(server, uri, contents.reload);
  return (
    <Card
      title={<code>{sanitizeLine(uri)}</code>}
      actions={
        <>
          {detail.data?.capabilities?.includes("resources.subscribe") && (
            <span className="row small">
              Live
              <Switch checked={live.on} label="Live: read again after each update" onChecked={live.setOn} />
            </span>
          )}
          <Button small onClick={contents.reload}>
            Read again
          </Button>
        </>
      }
    >
      {contents.loading && !contents.data && <p className="muted">Reading…</p>}
      {live.on && (
        <p className="small muted" role="status">
          {live.updatedAt === undefined ? "No update yet" : `Updated ${formatTime(live.updatedAt, Date.now())}`}
        </p>
      )}
      {live.error !== undefined && <Notice tone="warn">{sanitize(live.error)}</Notice>}
      {contents.error !== undefined && <Notice tone="danger">{sanitize(contents.error)}</Notice>}
      {contents.data?.map((content, index) => (
        <ResourceView key={index} resource={content} />
      ))}
    </Card>
  );
}

/** Calls `reload` after each update while it is on. Turns itself off if the server does not accept the subscription. */
function useLive(server: string, uri: string, reload: () => void) {
  const client = useClient();
  const [on, setOn] = useState(false);
  const [updatedAt, setUpdatedAt] = useState<number>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    if (!on) return;
    setError(undefined);
    setUpdatedAt(undefined);
    return client.liveResources.follow(server, uri, {
      onUpdate: (at) => {
        setUpdatedAt(at);
        reload();
      },
      onError: (thrown) => {
        setError(messageOf(thrown));
        setOn(false);
      },
    });
  }, [client, on, server, uri, reload]);
  return { on, setOn, updatedAt, error };
}
