/** Thrown for a valid text whose layout the editors can't change without rewriting other parts of it. */
export class UnsupportedLayout extends Error {
  constructor(path: readonly string[]) {
    super(
      `"${path.join(".")}" is written in a form that Plugboard can't change without rewriting other parts of the file`,
    );
  }
}
