/** Asks the user about a request of an App that leaves its frame: a link, a download, or a message to the model. */
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { formatBytes } from "../format/format.ts";
import { useArmed } from "../hooks/use-armed.ts";
import type { AppRequest } from "./app-ports.ts";

interface AppRequestDialogProps {
  readonly server: string;
  readonly request: AppRequest;
  readonly onAnswer: (accepted: boolean) => void;
}

export function AppRequestDialog({ server, request, onAnswer }: AppRequestDialogProps) {
  const { title, accept } = TEXTS[request.type];
  const isArmed = useArmed();
  return (
    <Dialog
      title={`The App of ${sanitizeLine(server)} ${title}`}
      onClose={() => onAnswer(false)}
      actions={
        <>
          <Button onClick={() => onAnswer(false)}>No</Button>
          <Button kind="primary" disabled={!isArmed} onClick={() => onAnswer(true)}>
            {accept}
          </Button>
        </>
      }
    >
      {request.type === "link" && (
        <>
          <p>
            The page is at <strong>{new URL(request.url).host}</strong>.
          </p>
          <pre className="code-block">{sanitize(request.url)}</pre>
        </>
      )}
      {request.type === "message" && <pre className="code-block">{sanitize(request.text)}</pre>}
      {request.type === "download" && (
        <ul>
          {request.files.map(({ name, blob }, index) => (
            // Two files may have the same name.
            <li key={index}>
              <code>{sanitizeLine(name)}</code> <span className="muted">{formatBytes(blob.size)}</span>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

const TEXTS: { readonly [Type in AppRequest["type"]]: { readonly title: string; readonly accept: string } } = {
  link: { title: "wants to open a page", accept: "Open it" },
  download: { title: "wants to save files", accept: "Save them" },
  message: { title: "wants to send this message to the model, as yours", accept: "Send it" },
};
