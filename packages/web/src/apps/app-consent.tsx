/** Shows what an App would use on other machines, before it is loaded. */
import { mayBeLocal, sanitizeLine } from "@plugboard/contracts";
import { Button } from "../components/button.tsx";
import { Badge, Notice } from "../components/layout.tsx";
import type { LoadedApp } from "./load-app.ts";

interface AppConsentProps {
  readonly server: string;
  readonly app: LoadedApp;
  readonly onAllow: () => void;
}

export function AppConsent({ server, app, onAllow }: AppConsentProps) {
  const { connect, resources, frames, baseUris } = app.allowed;
  return (
    <Notice tone="warn">
      <div className="stack">
        <p>
          <strong>The App of {sanitizeLine(server)} uses other sites.</strong> It could send them what it knows: the
          arguments and the result of this call, and what you type into it.
        </p>
        <ul className="stack-tight">
          <Origins use="Sends requests to" origins={connect} />
          <Origins use="Loads scripts, images and styles from" origins={resources} />
          <Origins use="Shows pages of" origins={frames} />
          <Origins use="Resolves relative URLs against" origins={baseUris} />
        </ul>
        <div>
          <Button kind="primary" onClick={onAllow}>
            Show the App
          </Button>
        </div>
      </div>
    </Notice>
  );
}

function Origins({ use, origins }: { use: string; origins: readonly string[] }) {
  if (origins.length === 0) return null;
  return (
    <li>
      {use}:{" "}
      {origins.map((origin) => (
        <span key={origin}>
          <code>{origin}</code> {mayBeLocal(origin) && <Badge tone="warn">may be in your own network</Badge>}{" "}
        </span>
      ))}
    </li>
  );
}
