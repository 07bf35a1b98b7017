/**
 * A server's entry after validation, with all defaults. References such as `${NAME}` are not expanded yet, and secrets
 * are not fetched yet.
 */
import type { EntryValue, ConfigSource, Era } from "@plugboard/contracts";

interface CommonDefinition {
  readonly enabled: boolean;
  readonly startupTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly healthIntervalMs?: number;
  readonly start: "eager" | "lazy";
  readonly idleStopMs?: number;
  /** With `caller`, each caller gets its own connection. */
  readonly share: "all" | "caller";
  readonly tools: ToolFilter;
  readonly retry?: "safe" | "never";
  readonly protocol?: Era | "auto";
  /** Whether the annotations of the server's tools (such as `readOnlyHint`) are trusted. */
  readonly trustAnnotations: boolean;
  readonly sampling: boolean;
  /** Whether a result that does not match its output schema fails the call. */
  readonly strictResults?: boolean;
  /**
   * True if the server gets the workspace's folders as roots. A list names other folders. The default depends on the
   * layer that defines the server.
   */
  readonly roots?: boolean | readonly string[];
  readonly maxMessageBytes?: number;
  /** The maximum size of a result that a model gets. A longer result is shortened. */
  readonly resultLimitBytes: number;
}

/** Patterns of tool names. A tool is used if it matches `include` and does not match `exclude`. */
interface ToolFilter {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

interface StdioDefinition extends CommonDefinition {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly EntryValue[];
  readonly cwd?: string;
  readonly env: { readonly [name: string]: EntryValue };
}

interface RemoteDefinition extends CommonDefinition {
  readonly url: string;
  readonly headers: { readonly [name: string]: EntryValue };
  readonly auth: Auth<EntryValue>;
  readonly account?: string;
  /** Whether principals of the gateway use the owner's login, or each has its own. The default depends on the principal. */
  readonly login?: "shared" | "each";
}

interface UrlDefinition extends RemoteDefinition {
  readonly transport: "http" | "sse" | "websocket";
}

interface ProxyDefinition extends RemoteDefinition {
  readonly transport: "claudeai-proxy";
  /** The id of the server behind the proxy. */
  readonly id: string;
}

interface SdkDefinition extends CommonDefinition {
  readonly transport: "sdk";
  /** The name of a server that the program runs in its own process. */
  readonly name: string;
}

export type ServerDefinition = StdioDefinition | UrlDefinition | ProxyDefinition | SdkDefinition;

/** How to log in. `Value` is an entry value as written, or a resolved string. */
export type Auth<Value> =
  | { readonly type: "none" }
  | { readonly type: "api_key"; readonly headerName: Value; readonly apiKey: Value }
  | { readonly type: "token_file"; readonly tokenPath: Value }
  | {
      readonly type: "oauth";
      readonly authorizationUrl?: Value;
      readonly tokenUrl?: Value;
      readonly registrationUrl?: Value;
      readonly clientId?: Value;
      readonly clientSecret?: Value;
      readonly scope?: Value;
      readonly clientMetadataUrl?: Value;
      readonly callbackPort?: number;
    }
  | {
      readonly type: "client_credentials";
      readonly tokenUrl?: Value;
      readonly clientId: Value;
      /** Either this or one of the files is set. */
      readonly clientSecret?: Value;
      readonly privateKeyFile?: Value;
      /** A file with a JWT that another program has signed. */
      readonly assertionFile?: Value;
      readonly scope?: Value;
    }
  | {
      readonly type: "enterprise";
      readonly tokenUrl?: Value;
      readonly clientId: Value;
      readonly clientSecret?: Value;
      readonly idpTokenUrl: Value;
      readonly idpClientId: Value;
      readonly idpClientSecret?: Value;
      /** A file with the ID token of the user's login at the identity provider. */
      readonly idTokenFile: Value;
      readonly scope?: Value;
    };

/** The keys of `Auth` that name a file. */
export const AUTH_FILE_KEYS: ReadonlySet<string> = new Set([
  "tokenPath",
  "privateKeyFile",
  "assertionFile",
  "idTokenFile",
]);

/** A configured server of a workspace, with its definition or the reason why the definition is invalid. */
export interface ConfiguredServer {
  readonly id: string;
  readonly source: ConfigSource;
  /** The file that defines the server, or a label for a definition that is in no file. */
  readonly file: string;
  readonly definition: ServerDefinition | { readonly invalid: string };
  /** The base of relative paths, and the default working folder. */
  readonly folder: string;
  /** The project's file that enables a disabled server of a lower layer. Set only while the server waits for trust. */
  readonly enabledBy?: string;
}
