/** The details of each error code, for programs. `error-table.ts` makes the message from them. */
export interface ErrorDetails {
  /** `command`: the command whose help explains the error. `omitHelp`: the command line is correct. */
  USAGE: { message: string; command?: string; suggestion?: string; omitHelp?: true };
  /** `method`: the method that got the option, such as `servers.connect`. By default `createHost`. */
  OPTION_INVALID: { option: string; reason: string; suggestion?: string; method?: string };
  /** `others`: more problems in the same file. `missing`: the file does not exist. */
  CONFIG_INVALID: {
    file: string;
    line?: number;
    column?: number;
    reason: string;
    others?: readonly {
      readonly line?: number;
      readonly column?: number;
      readonly reason: string;
      readonly severity?: "warning";
    }[];
    missing?: true;
  };
  /**
   * `variable`: the environment variable that the definition needs. `missingSecret`: the name of a secret that the
   * definition refers to and that does not exist.
   */
  SERVER_INVALID: { server: string; reason: string; variable?: string; missingSecret?: string };
  SERVER_EXISTS: { server: string; file: string };
  SERVER_UNKNOWN: { server: string; known: readonly string[]; suggestion?: string };
  SERVER_DISABLED: { server: string };
  SERVER_UNTRUSTED: { server: string; source: string; folder: string };
  DEFINITION_CHANGED: { server: string };
  SERVER_SPAWN_FAILED: { server: string; command: string; reason: string };
  /** The server was not started, because it must not run without its sandbox. */
  SANDBOX_UNAVAILABLE: { server: string; reason: string };
  /** `indirect`: the server leads back to this host through another host. */
  SERVER_IS_SELF: { server: string; indirect?: boolean };
  SERVER_UNREACHABLE: { server: string; reason: string };
  /** `noiseLines`: the number of lines on stdout that are no MCP messages. */
  SERVER_NOT_RESPONDING: { server: string; afterMs: number; stderr?: string; noiseLines?: number };
  /** `starting`: it exited before it was ready, so no call was running. */
  SERVER_CRASHED: { server: string; exit: string; starting?: true; failures?: number; stderr?: string };
  CONNECTION_LOST: { server: string; reason: string };
  TLS_FAILED: { server: string; reason: string };
  SERVER_OVERLOADED: { server: string; status: number; retryAfterMs?: number };
  SERVER_NOT_READING: { server: string };
  SESSION_LOST: { server: string };
  CONNECTION_CLOSED: { server: string };
  /**
   * `configured`: the server rejected the credentials of the definition, so logging in does not help. `own`: the
   * principal of the gateway has to log in itself, in its own client.
   */
  AUTH_REQUIRED: { server: string; reason?: string; configured?: true; own?: true };
  /** `error`: the OAuth error code of the authorization server. */
  LOGIN_FAILED: { server: string; reason: string; error?: string; own?: true };
  LOGIN_NOT_OFFERED: { server: string; reason: string };
  LOGIN_UNSAFE: { server: string; reason: string };
  KEYRING_UNAVAILABLE: { reason: string };
  /** `registry`: the URL of the registry. */
  REGISTRY_UNREACHABLE: { registry: string; reason: string };
  REGISTRY_INVALID: { registry: string; reason: string };
  UNSUPPORTED_VERSION: { server: string; offered: readonly string[] };
  /** `protocol`: the era that the definition demands. */
  WRONG_PROTOCOL: { server: string; protocol: string };
  INVALID_MESSAGE: { server: string; reason: string };
  UNEXPECTED_RESPONSE: { server: string; reason: string; status?: number };
  MESSAGE_TOO_LARGE: { server: string; limitBytes: number };
  RESPONSE_TOO_LARGE: { bytes: number; limitBytes: number };
  NOT_OFFERED: { server: string; method: string };
  REQUEST_FAILED: { server: string; method: string; code: number; message: string };
  /** `byCaller`: the caller has set the limit, not the definition of the server. */
  REQUEST_TIMEOUT: { server: string; method: string; afterMs: number; byCaller?: true };
  TOOL_NOT_FOUND: { tool: string; suggestion?: string };
  TOOL_UNUSABLE: { tool: string; reason: string };
  TOOL_INVALID: { tool: string; reason: string };
  NAME_TAKEN: { name: string; owner: string };
  TOOL_OFF: { tool: string; by: ToolOffCause };
  TOOL_EXECUTION_FAILED: { server: string; tool: string; code: number; message: string };
  NATIVE_TOOL_FAILED: { tool: string; reason: string };
  /** `signature`: the arguments of the tool, such as `echo(text: string)`. */
  INVALID_ARGUMENTS: { reason: string; tool?: string; signature?: string };
  TOOL_DENIED: { server: string; tool: string; by: string; reason?: string };
  /**
   * `rule`: the rule that requires the question, unless asking is the default. `option`: the option of the command that
   * allows the call. It is set only for a person at the command line, because a model must not learn it. `inbox`: a
   * user who watches the inbox could answer. `channel`: the client of the control API could answer. `chat`: a model
   * reads the message.
   */
  NOBODY_TO_ASK: {
    server: string;
    tool: string;
    rule?: string;
    option?: string;
    inbox?: true;
    channel?: true;
    chat?: true;
  };
  TOO_MANY_ROUNDS: { server: string; rounds: number };
  SAMPLING_REFUSED: { server: string };
  TOO_MANY_CALLS: { server: string; limit: number; byCaller?: true };
  TOO_MANY_SUBSCRIPTIONS: { limit: number };
  TOO_MANY_CLIENTS: { server: string; limit: number; byCaller?: true };
  ISSUER_UNREACHABLE: { issuer: string; reason: string };
  /**
   * `limit` counts what `per` says: open requests, connections, the bytes of unread responses or of request bodies, or
   * failed requests per minute. By default, it counts requests per second.
   */
  TOO_MANY_REQUESTS: {
    limit: number;
    retryAfterMs: number;
    per?: "open" | "connections" | "unread" | "bodies" | "failures";
  };
  SERVER_BUSY: { server: string; afterMs: number };
  /** `found`: models of a local model server, as `provider/model`. */
  MODEL_NOT_SET: { found: readonly string[] };
  /** `model`: as it was set, such as `anthropic/claude-opus-4-5`. */
  MODEL_INVALID: { model: string; reason: string };
  /** `variable`: the environment variable that holds the key. */
  MODEL_KEY_MISSING: { model: string; variable: string };
  /** `file`: the project's file that sets a provider of models. */
  MODEL_URL_REFUSED: { file: string };
  /**
   * The model is overloaded, limits the rate, or can't be reached, even after retries. `unreachable`: no connection.
   */
  MODEL_UNAVAILABLE: { model: string; reason: string; status?: number; retryAfterMs?: number; unreachable?: true };
  MODEL_FAILED: { model: string; reason: string; status?: number };
  MODEL_CONTEXT_EXCEEDED: { model: string; reason: string };
  /** `holder` is the process of another host that has the chat open. */
  CHAT_BUSY: { chat: string; holder?: string };
  /**
   * The turn ended before the model was done. `chat`: the id of the chat if it is stored. A resumed chat keeps its
   * limits.
   */
  TURN_INCOMPLETE: { reason: "step_limit" | "token_limit" | "output_limit" | "refused"; chat?: string };
  CANCELLED: { reason: string };
  QUESTION_GONE: { question: string };
  QUESTION_NOT_YOURS: { question: string };
  ANSWER_INVALID: { question: string; reason: string };
  STATE_REFUSED: { reason: string };
  TOO_MANY_PARKED: { limit: number; scope: string };
  STORE_BUSY: { file: string; holder: string; afterMs: number };
  STORE_UNWRITABLE: { file: string; reason: string };
  /** `movedTo`: the new path of the file, if Plugboard has moved it away. */
  STORE_UNREADABLE: { file: string; reason: string; movedTo?: string };
  STORE_EXPOSED: { file: string; mode: string };
  STATE_UNSAFE: { path: string; reason: string };
  SOCKET_UNUSABLE: { path: string; reason: string };
  HOST_RUNNING: { location: string };
  HOST_SERVING: { endpoint: string; folder: string };
  HOST_NOT_STOPPED: { pid: number; afterMs: number };
  SERVICE_FAILED: { reason: string };
  PORT_TAKEN: { port: number };
  VERSION_SKEW: { host: string; client: string };
  UNAUTHORIZED: Record<never, never>;
  FORBIDDEN: { reason: string };
  NOT_FOUND: { subject: string; suggestion?: string };
  HOST_UNREACHABLE: { reason: string };
  HOST_NOT_RESPONDING: { afterMs: number };
  PORT_FAILED: { port: string; reason: string };
  HOST_CLOSED: Record<never, never>;
  INTERNAL: { reason: string };
}

/** The setting or the program that makes a tool unavailable. */
export type ToolOffCause = "tools.include" | "tools.exclude" | "program" | "tool_disabled" | "server_disabled";

export type HostErrorCode = keyof ErrorDetails;
