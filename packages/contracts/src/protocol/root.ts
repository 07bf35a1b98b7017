/** A folder that a server may take as its place to work. */
export interface Root {
  /** A `file:` URL. */
  readonly uri: string;
  readonly name?: string;
}
