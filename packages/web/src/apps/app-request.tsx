/** Asks the user about a request of an App that leaves its frame: a link, a download, or a message to the model. */
import { isJsonObject, sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ContentBlock, JsonObject } from "@plugboard/contracts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { formatBytes } from "../format/format.ts";

export type AppRequest =
  | { readonly type: "link"; readonly url: string }
  | { readonly type: "download"; readonly files: readonly DownloadedFile[] }
  | { readonly type: "message"; readonly text: string };

export interface DownloadedFile {
  readonly name: string;
  readonly blob: Blob;
}

interface AppRequestDialogProps {
  readonly server: string;
  readonly request: AppRequest;
  readonly onAnswer: (accepted: boolean) => void;
}

export function AppRequestDialog({ server, request, onAnswer }: AppRequestDialogProps) {
  const { title, accept } = TEXTS[request.type];
  return (
    <Dialog
      title={`The App of ${sanitizeLine(server)} ${title}`}
      onClose={() => onAnswer(false)}
      actions={
        <>
          <Button onClick={() => onAnswer(false)}>No</Button>
          <Button kind="primary" onClick={() => onAnswer(true)}>
            {accept}
          </Button>
        </>
      }
    >
      {request.type === "link" && <pre className="code-block">{sanitize(request.url)}</pre>}
      {request.type === "message" && <pre className="code-block">{sanitize(request.text)}</pre>}
      {request.type === "download" && (
        <ul>
          {request.files.map(({ name, blob }) => (
            <li key={name}>
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

/** Returns the files of embedded resources. A link to a resource has no content of its own. */
export function toFiles(contents: readonly ContentBlock[]): readonly DownloadedFile[] {
  return contents.flatMap(({ resource }) => {
    if (!isJsonObject(resource)) return [];
    const parts = toBytes(resource);
    if (parts === undefined) return [];
    const { uri, mimeType } = resource;
    const type = typeof mimeType === "string" ? mimeType : "application/octet-stream";
    return [{ name: fileName(uri), blob: new Blob([parts], { type }) }];
  });
}

export function saveFile({ name, blob }: DownloadedFile): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

function toBytes({ text, blob }: JsonObject): string | Uint8Array<ArrayBuffer> | undefined {
  if (typeof text === "string") return text;
  if (typeof blob !== "string") return undefined;
  return Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
}

/** The last part of the URI, without characters that have a meaning in paths. */
function fileName(uri: unknown): string {
  const last = typeof uri === "string" ? (uri.split(/[/\\]/).at(-1) ?? "") : "";
  return last.replaceAll(/[^\w.-]+/g, "_").replace(/^\.+/, "") || "download";
}
