/** Recognises names of options, variables and headers whose value is a secret. Pure. */

const SECRET_SUBSTRING =
  /key|token|secret|pass|pwd|auth|cred|bearer|header|cookie|session|jwt|otp|sign|dsn|licen|salt|seed|mnemonic|private/i;
const SECRET_WORD = /(^|[-_])(pat|pin|pw)([-_]|$)/i;
/** Matches one-letter options that often take a secret, such as `-p` for a password and `-H` for a header. */
const SECRET_SHORT_OPTION = /^-[aHkKpPstTuUwW]$/;
/** Matches names whose value is a program or a file, such as `--auth-script`, `keyFile` and `GIT_ASKPASS`. */
const PROGRAM_OR_FILE = /(?:[-_.]|key|token|pass)(?:script|cmd|command|helper|file|path|dir)$|askpass$/i;
const CAMEL_PROGRAM_OR_FILE = /[a-z](?:Script|Cmd|Command|Helper|File|Path|Dir)$/;

export function isSecretName(name: string): boolean {
  if (PROGRAM_OR_FILE.test(name) || CAMEL_PROGRAM_OR_FILE.test(name)) return false;
  return SECRET_SUBSTRING.test(name) || SECRET_WORD.test(name) || SECRET_SHORT_OPTION.test(name);
}
