/** Recognises names of options, variables and headers whose value is a secret. Pure. */

const SECRET_SUBSTRING =
  /key|token|secret|pass|pwd|auth|cred|bearer|header|cookie|session|jwt|otp|sign|dsn|licen|salt|seed|mnemonic|private/i;
const SECRET_WORD = /(^|[-_])(pat|pin|pw)([-_]|$)/i;
/** Matches one-letter options that often take a secret, such as `-p` for a password and `-H` for a header. */
const SECRET_SHORT_OPTION = /^-[aHkKpPstTuUwW]$/;
/** Matches names whose value is a program or a file, such as `--auth-script`, `keyFile` and `GIT_ASKPASS`. */
const PROGRAM_OR_FILE = /(?:[-_.]|key|token|pass)(?:script|cmd|command|helper|file|path|dir)$|askpass$/i;
const CAMEL_PROGRAM_OR_FILE = /[a-z](?:Script|Cmd|Command|Helper|File|Path|Dir)$/;

/** Matches options that take no value, such as `--no-auth`. The word after them has another meaning. */
const SWITCH = /^--?(?:no|disable|skip|without|enable|allow)[-_]/i;
/** Matches names of a property of a login or key, such as `--auth-url`, `--session-timeout` and `authType`. */
const PROPERTY =
  /[-_](?:type|mode|method|timeout(?:[-_]ms)?|ttl|limit|size|length|count|host|port|url|uri|endpoint|issuer|algorithm|format)$/i;
const CAMEL_PROPERTY =
  /[a-z](?:Type|Mode|Method|Timeout|Ttl|Limit|Size|Length|Count|Host|Port|Url|Uri|Endpoint|Issuer)$/;
/** Matches words that contain the letters of a secret's name by chance. */
const UNRELATED_WORD =
  /author(?!i)|design|assign|bypass|passthrough|max[-_]?(?:new[-_]?)?tokens?|keyspace|keyboard|keyword|hotkey|monkey/gi;

export function isSecretName(name: string): boolean {
  if (PROGRAM_OR_FILE.test(name) || CAMEL_PROGRAM_OR_FILE.test(name)) return false;
  if (SWITCH.test(name) || PROPERTY.test(name) || CAMEL_PROPERTY.test(name)) return false;
  const related = name.replace(UNRELATED_WORD, "");
  return SECRET_SUBSTRING.test(related) || SECRET_WORD.test(related) || SECRET_SHORT_OPTION.test(name);
}
