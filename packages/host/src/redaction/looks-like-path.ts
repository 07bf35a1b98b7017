/** Recognises the path of a file or folder, which is shown even after a secret's name: it may be a program. Pure. */

const START = /^(?:\.{0,2}|~|[a-z]:|\$\{[^}]*\})[\\/]/i;
const FILE_NAME = /\.[a-z]\w{0,3}$/i;

export function looksLikePath(text: string): boolean {
  return START.test(text) || (/[\\/]/.test(text) && FILE_NAME.test(text) && !/[\s:@=]/.test(text));
}
