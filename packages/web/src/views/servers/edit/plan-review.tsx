/** Shows what a planned definition would run, before it is tested or saved. */
import { Fragment } from "react";
import type { ReactNode } from "react";
import { isJsonObject, sanitize, sanitizeLine } from "@plugboard/contracts";
import type { JsonObject, ServerPlan, ServerTest } from "@plugboard/contracts";
import { Changes } from "../../../components/changes.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { FactList, Notice } from "../../../components/layout.tsx";
import { formatKnownMs, plural } from "../../../format/format.ts";
import { markBreaks } from "../../../format/mark-breaks.ts";
import { useNow } from "../../../hooks/use-now.ts";
import { SecretsChoice } from "../secrets-choice.tsx";

interface PlanReviewProps {
  readonly plan: ServerPlan;
  /** True if the secrets of the definition are stored as secrets, not in the config file. */
  readonly storing: boolean;
  readonly onStoring: (storing: boolean) => void;
}

export function PlanReview({ plan, storing, onStoring }: PlanReviewProps) {
  const { transport, runs, folder, file, problems, secrets = [], storable } = plan;
  const { variables, changes, entry } = shownPlan(plan, storing);
  return (
    <>
      <p>
        {transport === "stdio"
          ? "Plugboard will run exactly this command, with your rights:"
          : "Plugboard will connect to:"}
      </p>
      <ol className="code-block command-words" aria-label="Command" tabIndex={0}>
        {runs.map((word, index) => (
          <Fragment key={index}>
            <li>
              <code>{markBreaks(word)}</code>
            </li>{" "}
          </Fragment>
        ))}
      </ol>
      <FactList
        facts={[
          ["Saved in", <code key="file">{sanitizeLine(file)}</code>],
          ...(folder === undefined ? [] : [["Runs in", <code key="folder">{sanitizeLine(folder)}</code>] as const]),
          ...variableFacts(entry),
          ...(variables.length === 0 ? [] : [["Takes values of", variables.map(sanitizeLine).join(", ")] as const]),
        ]}
      />
      {storable && (
        <SecretsChoice
          secrets={storable.found}
          stored={storing}
          onStored={onStoring}
          storeProblem={storable.secretStoreProblem}
          unencrypted={storable.unencrypted ?? false}
        />
      )}
      {secrets.length > 0 && <Secrets secrets={secrets} />}
      {changes && (
        <>
          <h3>{changes.length === 0 ? "Nothing changes, so there is nothing to save" : "Changes"}</h3>
          <Changes changes={changes} />
        </>
      )}
      <details>
        <summary>Whole definition, as it will be written</summary>
        <div className="code-block">
          <JsonView value={entry} />
        </div>
      </details>
      {problems.map(({ message, severity }) => (
        <Notice key={message} tone={severity === "error" ? "danger" : "warn"}>
          {sanitizeLine(message)}
        </Notice>
      ))}
    </>
  );
}

/** Returns what the plan shows, with or without the secrets in the definition. */
export function shownPlan(plan: ServerPlan, storing: boolean): Pick<ServerPlan, "entry" | "variables" | "changes"> {
  return (storing ? plan.storable : undefined) ?? plan;
}

/** The variables can change what a command does. */
function variableFacts({ env }: JsonObject): (readonly [string, ReactNode])[] {
  const variables = isJsonObject(env) ? Object.entries(env) : [];
  const shown = variables.map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return shown.length > 0 ? [["Variables", <code key="env">{shown.map(sanitizeLine).join(" ")}</code>]] : [];
}

function Secrets({ secrets }: { secrets: NonNullable<ServerPlan["secrets"]> }) {
  const names = (given: boolean) => secrets.filter((secret) => secret.given === given).map(({ name }) => name);
  const missing = names(false);
  return (
    <>
      {names(true).length > 0 && (
        <p>
          Stored as a secret, not in the file: <code>{names(true).map(sanitizeLine).join(", ")}</code>
        </p>
      )}
      {missing.length > 0 && (
        <Notice tone="warn">
          Not given yet. Run this before the first use:
          {missing.map((name) => (
            <div key={name}>
              <code>plugboard secret set {sanitizeLine(name)}</code>
            </div>
          ))}
        </Notice>
      )}
    </>
  );
}

/** Programs that download the server before its first start. */
const DOWNLOADERS = ["npx", "bunx", "uvx", "docker"];

export function TestProgress({ plan: { transport, runs }, since }: { plan: ServerPlan; since: number }) {
  const now = useNow(1000);
  const [program = ""] = runs;
  const text = transport === "stdio" ? "Starting the server…" : "Connecting to the server…";
  return (
    <Notice>
      <span role="status">
        {text} {DOWNLOADERS.includes(program) && `(${program} may have to download it first)`}
      </span>{" "}
      <span className="muted">{Math.max(0, Math.round((now - since) / 1000))} s</span>
    </Notice>
  );
}

export function TestResult({ test }: { test: ServerTest }) {
  const { ok, durationMs, tools, serverInfo, version, error, stderr } = test;
  if (ok) {
    return (
      <Notice tone="ok">
        <strong>It works.</strong>{" "}
        {serverInfo ? `${sanitizeLine(serverInfo.name)} ${sanitizeLine(serverInfo.version)}, ` : ""}
        protocol {version}, {plural(tools.length, "tool")}, after {formatKnownMs(durationMs)}.
        <div className="small muted">{tools.map(sanitizeLine).slice(0, 30).join(", ")}</div>
      </Notice>
    );
  }
  return (
    <Notice tone="danger">
      <strong>{error?.code}</strong> {sanitize(error?.message ?? "")}
      {stderr !== undefined && stderr !== "" && <pre className="code-block">{sanitize(stderr)}</pre>}
    </Notice>
  );
}
