/** Reports a state folder that can't be written to, or that other users can read. */
import type { Check, Finding } from "./finding.ts";

export const checkStateFolder: Check = ({ stateFolder: { path, exists, problem, isOpen, exposedFiles, oldLocks } }) => {
  const check = "state";
  if (problem !== undefined) {
    const message = `The state folder ${path} can't be used: ${REASONS[problem]}. Logins and decisions are not stored.`;
    return [{ check, severity: "error", message, fix: FIXES[problem] }];
  }
  const open = isOpen ? [exposed(path, `chmod 700 ${path}`)] : [];
  const files = exposedFiles.map((file) => exposed(file, `chmod 600 ${file}`));
  const locks = oldLocks.map((file): Finding => {
    const message = `The lock ${file} is older than a minute. A program may have died while it held it.`;
    return { check, severity: "warning", message, fix: "If no plugboard process is running, delete it." };
  });
  const findings = [...open, ...files, ...locks];
  if (findings.length > 0) return findings;
  const message = exists ? `The state folder is ${path}.` : `The state folder ${path} will be created on first use.`;
  return [{ check, severity: "ok", message }];
};

const REASONS = {
  "not a folder": "it is not a folder, or is a symbolic link",
  "another user": "it belongs to another user",
  "not writable": "you have no permission to write to it",
};

const FIXES = {
  "not a folder": "Move it away.",
  "another user": "Take ownership of it, or set XDG_STATE_HOME to a folder of your own.",
  "not writable": "Make it writable, or set XDG_STATE_HOME to another folder.",
};

function exposed(path: string, command: string): Finding {
  const message = `Other users of this computer may read ${path}.`;
  return { check: "state", severity: "warning", message, fix: `Run \`${command}\`.` };
}
