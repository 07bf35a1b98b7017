/** Recognises the path of a file or folder. A path is never masked, because it may be a program that runs. Pure. */

const START = /^(?:\.{0,2}|~|[a-z]:|\$\{[^}]*\})[\\/]/i;
const FILE_NAME = /\.[a-z]\w{0,3}$/i;

export function looksLikePath(text: string): boolean {
  return START.test(text) || (/[\\/]/.test(text) && FILE_NAME.test(text) && !/[\s:@=]/.test(text));
}
