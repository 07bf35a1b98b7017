/** The types that this package uses of `oidc-provider`, which has none. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export interface Interaction {
    readonly prompt: {
      readonly name: string;
      readonly details: {
        readonly missingOIDCScope?: readonly string[];
        readonly missingResourceScopes?: { readonly [resource: string]: readonly string[] };
      };
    };
    readonly params: { readonly client_id: string; readonly scope?: string };
    readonly session?: { readonly accountId: string };
    readonly grantId?: string;
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: {
      new (options: { accountId: string | undefined; clientId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
    };
    /** Adds middleware around the provider's request handling. */
    use(middleware: (ctx: { path: string; body?: unknown }, next: () => Promise<void>) => Promise<void>): void;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }

  export const errors: { readonly InvalidTarget: new () => Error };
}
