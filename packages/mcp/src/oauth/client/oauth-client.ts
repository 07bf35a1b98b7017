/** The OAuth client that Plugboard uses at one authorization server, and at no other. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authMethod: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
  /** `document` means that the client id is the URL of a client ID metadata document. */
  readonly origin: "configured" | "document" | "registered";
  /** The authorization server that knows this client. Its credentials are never sent to another one. */
  readonly issuer?: string;
  /** PEM. For `private_key_jwt`. */
  readonly privateKey?: string;
  /** For a registered client: when its secret expires and it must be registered again. */
  readonly secretExpiresAt?: number;
  /** For a registered client: the redirect URI of the registration. */
  readonly redirectUri?: string;
}
