/** The result of a schema check. A problem never contains the value, because it may be a secret. */
export interface Problem {
  /** A path such as `items[2].name`. Empty for the whole value. */
  readonly path: string;
  /** A phrase that follows the path: "must be a string, but is a number". */
  readonly message: string;
}

export type CheckResult =
  | { readonly ok: true; /** Why the schema was not applied. */ readonly unchecked?: string }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path === "" ? message : `"${path}" ${message}`)).join("; ");
}
