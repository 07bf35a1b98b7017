/** The config files that can't be read, above every view until they are repaired. */
import { ConfigProblemNotice } from "../components/config-problem-notice.tsx";
import { useConfigProblems } from "../hooks/use-config-problems.ts";

export function ConfigErrors() {
  const errors = useConfigProblems("error");
  if (errors.length === 0) return null;
  return (
    <div className="stack config-errors">
      {errors.map((problem) => (
        <ConfigProblemNotice key={JSON.stringify(problem)} problem={problem} />
      ))}
    </div>
  );
}
