/** Reports servers that npx has to download at their next start. */
import type { Check } from "./finding.ts";

export const checkNpxCache: Check = ({ servers }) =>
  servers.flatMap(({ id, enabled, programFacts, connectResult }) => {
    const { npx } = programFacts ?? {};
    if (!enabled || !npx || npx.installed || connectResult?.ok) return [];
    return [
      {
        check: "npx cache",
        severity: "warning",
        server: id,
        message: `npx has not downloaded ${npx.name} yet, so the first start takes longer.`,
        fix: `Run \`plugboard test ${id}\` once, or install it with \`npm install -g ${npx.name}\`.`,
      },
    ];
  });
