/** Reports variables that are not set, and secrets that are not stored. */
import type { Check, Finding } from "./finding.ts";

export const checkValues: Check = ({ servers, secrets }) => {
  const variables = servers
    .filter(({ enabled }) => enabled)
    .flatMap(({ id, unsetVariables }) =>
      unsetVariables.map((name): Finding => {
        const message = `It needs the environment variable ${name}, which is not set or is empty.`;
        const fix = `Set ${name}, or give a default in the config: \${${name}:-…}.`;
        return { check: "variable", severity: "error", server: id, message, fix };
      }),
    );
  const unreadable: Finding[] = secrets?.unreadable
    ? [
        {
          check: "secret",
          severity: "error",
          message: "The stored secrets can't be read.",
          fix: "Run `plugboard secret list`.",
        },
      ]
    : [];
  const missing = (secrets?.secrets ?? [])
    .filter(({ state }) => state === "missing")
    .flatMap(({ name, servers: ids }) =>
      ids.map((server): Finding => {
        const message = `It needs the secret "${name}", which is not stored.`;
        return { check: "secret", severity: "error", server, message, fix: `Run \`plugboard secret set ${name}\`.` };
      }),
    );
  return [...variables, ...unreadable, ...missing];
};
