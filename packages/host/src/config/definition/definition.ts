/** A server's entry after checking: complete, with defaults, its `${…}` not yet expanded, its secrets not yet fetched. */
import type { EntryValue, ConfigSource } from "@plugboard/contracts";

interface CommonDefinition {
  readonly enabled: boolean;
  readonly startupTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly healthIntervalMs?: number;
  readonly start: "eager" | "lazy";
  readonly idleStopMs?: number;
  /** `caller`: each caller has a connection of its own. */
  readonly share: "all" | "caller";
  readonly tools: ToolFilter;
  readonly retry?: "safe" | "never";
  /** Whether what its tools say of themselves counts. */
  readonly trustAnnotations: boolean;
  readonly sampling: boolean;
  /** True if the server gets the workspace's roots; a list names other folders. If absent, the config layer decides. */
  readonly roots?: boolean | readonly string[];
  readonly maxMessageBytes?: number;
  /** How much of a result a model gets to see. */
  readonly resultLimitBytes: number;
}

/** Patterns of tool names. A tool is used if it matches one of the first and none of the second. */
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
}

interface UrlDefinition extends RemoteDefinition {
  readonly transport: "http" | "sse" | "websocket";
}

interface ProxyDefinition extends RemoteDefinition {
  readonly transport: "claudeai-proxy";
  /** Which of the servers behind the URL. */
  readonly id: string;
}

interface SdkDefinition extends CommonDefinition {
  readonly transport: "sdk";
  /** What the program calls the server that it has in its own process. */
  readonly name: string;
}

export type ServerDefinition = StdioDefinition | UrlDefinition | ProxyDefinition | SdkDefinition;

/** `Text` is what a text is: as written, or resolved. */
export type Auth<Text> =
  | { readonly type: "none" }
  | { readonly type: "api_key"; readonly headerName: Text; readonly apiKey: Text }
  | { readonly type: "token_file"; readonly tokenPath: Text }
  | {
      readonly type: "oauth";
      readonly authorizationUrl?: Text;
      readonly tokenUrl?: Text;
      readonly registrationUrl?: Text;
      readonly clientId?: Text;
      readonly clientSecret?: Text;
      readonly scope?: Text;
      readonly clientMetadataUrl?: Text;
      readonly callbackPort?: number;
    }
  | {
      readonly type: "client_credentials";
      readonly tokenUrl?: Text;
      readonly clientId: Text;
      /** This, or one of the files. */
      readonly clientSecret?: Text;
      readonly privateKeyFile?: Text;
      /** Holds a JWT that somebody else has signed. */
      readonly assertionFile?: Text;
      readonly scope?: Text;
    }
  | {
      readonly type: "enterprise";
      readonly tokenUrl?: Text;
      readonly clientId: Text;
      readonly clientSecret?: Text;
      readonly idpTokenUrl: Text;
      readonly idpClientId: Text;
      readonly idpClientSecret?: Text;
      /** Holds the ID token of the user's login at the identity provider. */
      readonly idTokenFile: Text;
      readonly scope?: Text;
    };

/** The keys of `Auth` that name a file. */
export const AUTH_FILE_KEYS: ReadonlySet<string> = new Set([
  "tokenPath",
  "privateKeyFile",
  "assertionFile",
  "idTokenFile",
]);

/** A server as a workspace knows it: its definition, or why it has none. */
export interface ConfiguredServer {
  readonly id: string;
  readonly source: ConfigSource;
  /** The file that defines it, or what stands for one. */
  readonly file: string;
  readonly definition: ServerDefinition | { readonly invalid: string };
  /** Where relative paths of the definition start, and where it runs unless it says otherwise. */
  readonly folder: string;
  /** Of one that waits for trust: it is a lower layer's definition that this project's file switches on. */
  readonly enabledBy?: string;
}
