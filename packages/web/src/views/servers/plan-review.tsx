/** Shows what a planned definition would run, before it is tested or saved. */
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ServerPlan, ServerTest } from "@plugboard/contracts";
import { Changes } from "../../components/changes.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Facts, Notice } from "../../components/layout.tsx";
import { formatMs, plural } from "../../format/format.ts";

export function PlanReview({ plan }: { plan: ServerPlan }) {
  const { transport, runs, file, variables, changes, problems, entry } = plan;
  return (
    <>
      <p>
        {transport === "stdio"
          ? "Plugboard will run exactly this command, with your rights:"
          : "Plugboard will connect to:"}
      </p>
      <ol className="code-block" aria-label="Command" tabIndex={0}>
        {runs.map((word, index) => (
          <li key={index}>
            <code>{sanitize(word)}</code>
          </li>
        ))}
      </ol>
      <Facts
        facts={[
          ["Saved in", <code key="file">{sanitizeLine(file)}</code>],
          ["Gets", variables.length === 0 ? "no variables of yours" : variables.map(sanitizeLine).join(", ")],
        ]}
      />
      {changes && (
        <>
          <h3>{changes.length === 0 ? "Nothing changes" : "Changes"}</h3>
          <Changes changes={changes} />
        </>
      )}
      <details>
        <summary>Whole definition</summary>
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

export function TestResult({ test }: { test: ServerTest }) {
  const { ok, durationMs, tools, serverInfo, version, error, stderr } = test;
  if (ok) {
    return (
      <Notice tone="ok">
        <strong>It works.</strong>{" "}
        {serverInfo ? `${sanitizeLine(serverInfo.name)} ${sanitizeLine(serverInfo.version)}, ` : ""}
        {version}, {plural(tools.length, "tool")}, after {formatMs(durationMs)}.
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
