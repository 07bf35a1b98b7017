/** Recognises names of options, variables and headers whose value is a secret. Pure. */

const SECRET =
  /key|token|secret|pass|pwd|auth|cred|bearer|header|cookie|session|jwt|otp|sign|dsn|licen|salt|seed|mnemonic|private/i;
const SECRET_WORD = /(^|[-_])(pat|pin|pw)([-_]|$)/i;
const SECRET_LETTER = /^-[aHkKpPstTuUwW]$/;

export function isSecretName(name: string): boolean {
  return SECRET.test(name) || SECRET_WORD.test(name) || SECRET_LETTER.test(name);
}
