/** The config files that can't be read, above every view until they are repaired. */
import { ConfigProblemNotice } from "../components/config-problem-notice.tsx";
import { usePage } from "../store/context.tsx";
import { useLoad } from "../store/use-load.ts";

export function ConfigErrors() {
  const revision = usePage((state) => state.configRevision);
  const problems = useLoad(({ workspace }) => workspace.config.problems(), [revision]);
  const errors = problems.data?.filter(({ severity }) => severity === "error") ?? [];
  if (errors.length === 0) return null;
  return (
    <div className="stack config-errors">
      {errors.map((problem) => (
        <ConfigProblemNotice key={JSON.stringify(problem)} problem={problem} />
      ))}
    </div>
  );
}
