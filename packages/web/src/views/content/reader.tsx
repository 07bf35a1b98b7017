/** Reads one resource and shows its content. */
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { ResourceView } from "../../components/content-view.tsx";
import { Card, Notice } from "../../components/layout.tsx";
import { useLoad } from "../../store/context.tsx";

export function ResourceReader({ server, uri }: { server: string; uri: string }) {
  const contents = useLoad(({ workspace }) => workspace.resources.read(server, uri), [server, uri]);
  return (
    <Card
      title={<code>{sanitizeLine(uri)}</code>}
      actions={
        <Button small onClick={contents.reload}>
          Read again
        </Button>
      }
    >
      {contents.loading && !contents.data && <p className="muted">Reading…</p>}
      {contents.error !== undefined && <Notice tone="danger">{sanitize(contents.error)}</Notice>}
      {contents.data?.map((content, index) => (
        <ResourceView key={index} resource={content} />
      ))}
    </Card>
  );
}
