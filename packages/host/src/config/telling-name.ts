/** Whether an option, a variable or a header is named as only those are whose value is a secret. Pure. */

const TELLING =
  /key|token|secret|pass|pwd|auth|cred|bearer|header|cookie|session|jwt|otp|sign|dsn|licen|salt|seed|mnemonic|private/i;
const TELLING_WORD = /(^|[-_])(pat|pin|pw)([-_]|$)/i;
const TELLING_LETTER = /^-[aHkKpPstTuUwW]$/;

export function tells(name: string): boolean {
  return TELLING.test(name) || TELLING_WORD.test(name) || TELLING_LETTER.test(name);
}
