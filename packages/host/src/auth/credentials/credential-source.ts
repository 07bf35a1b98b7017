/** How the requests to one server come by what they are sent with. Shared by all connections of equal definitions. */
import type { LoginStatus } from "@plugboard/contracts";
import type { Credentials } from "@plugboard/mcp";

export interface CredentialSource extends Credentials {
  /** What makes two of them the same; hides what it was made of. */
  readonly key: string;
  /** What must not be told, as of now. */
  secrets(): readonly string[];
  /** Nothing where nobody has logged in, or nobody has to. */
  status(): LoginStatus | undefined;
  /** A connection that it was made for is in order. */
  markAccepted?(): void;
  /** Told when there may be something better to send than before. */
  onChanged(listener: () => void): () => void;
}

const EMPTY_HEADERS = {};

/** The same object each time, so that what is made of it need not be made anew. */
export function noHeaders(): { readonly [name: string]: string } {
  return EMPTY_HEADERS;
}
