/** As whom Plugboard presents itself to one authorization server. Never used with another. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authMethod: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
  readonly origin: "configured" | "document" | "registered";
  /** The authorization server that it is for; to any other, nothing is sent in its name. */
  readonly issuer?: string;
  /** PEM, of a client that signs. */
  readonly privateKey?: string;
  /** Of one that was registered: from then on it has to be registered anew. */
  readonly secretExpiresAt?: number;
  /** Of one that was registered, where it may be sent back to. */
  readonly redirectUri?: string;
}
