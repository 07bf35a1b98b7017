import { sanitizeLine } from "@plugboard/contracts";
import type { ConfigProblem } from "@plugboard/contracts";
import { Notice } from "./layout.tsx";

/** What is wrong in a config file, with its place. */
export function ConfigProblemNotice({ problem }: { problem: ConfigProblem }) {
  const { severity, file, line, message } = problem;
  return (
    <Notice tone={severity === "error" ? "danger" : "warn"}>
      <code>
        {sanitizeLine(file)}
        {line === undefined ? "" : `:${line}`}
      </code>
      : {sanitizeLine(message)}
    </Notice>
  );
}
