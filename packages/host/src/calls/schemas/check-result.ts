/** What is wrong with a value. Names where and of what kind, never the value itself: it may be a secret. */
export interface Problem {
  /** Like `items[2].name`; empty for the value as a whole. */
  readonly path: string;
  /** Goes on where the path ends: "must be a string, but is a number". */
  readonly message: string;
}

export type CheckResult =
  | { readonly ok: true; /** Why the schema was not applied. */ readonly unchecked?: string }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path === "" ? message : `"${path}" ${message}`)).join("; ");
}
