/** Lists servers that are not used because the user has not approved or has disabled them. */
import type { Check, Finding } from "./finding.ts";

export const checkTrust: Check = ({ servers, untrusted }) => {
  const disabled = servers.filter(({ enabled, invalid }) => !enabled && invalid === undefined).map(({ id }) => id);
  const waiting = untrusted.map((id): Finding => {
    const fix = `Look at it with \`plugboard trust\`, and approve it with \`plugboard trust ${id}\`.`;
    return { check: "trust", severity: "warning", server: id, message: "It waits for your approval.", fix };
  });
  if (disabled.length === 0) return waiting;
  const message = `Disabled servers: ${disabled.join(", ")}. \`plugboard enable <id>\` enables one.`;
  return [...waiting, { check: "disabled", severity: "ok", message }];
};
