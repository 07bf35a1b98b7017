/** A folder that a server may work in. */
export interface Root {
  /** A `file:` URL. */
  readonly uri: string;
  readonly name?: string;
}
