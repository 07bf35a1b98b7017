import type { ConfigProblem } from "@plugboard/contracts";
import { usePage } from "./context.tsx";
import { useLoad } from "./use-load.ts";

/** The problems of the config files, loaded again when the config changes. */
export function useConfigProblems(severity: ConfigProblem["severity"]): readonly ConfigProblem[] {
  const revision = usePage((state) => state.configRevision);
  const problems = useLoad(({ workspace }) => workspace.config.problems(), [revision]);
  return problems.data?.filter((problem) => problem.severity === severity) ?? [];
}
