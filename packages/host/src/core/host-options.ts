/** The options of a host. They apply to all of its workspaces. */
import type { ConfigLayer, Env } from "@plugboard/contracts";
import type { ConnectionLimits } from "@plugboard/mcp";
import type { OpenUrlPort } from "../auth/oauth/interactive-login.ts";
import type { Keyring } from "../auth/vault/keyring.ts";
import type { LoadChatService } from "./chat-service.ts";
import type { ModelPort } from "../calls/sampling.ts";
import type { ResolvePorts } from "@plugboard/config";
import type { HostExtensions } from "../workspace/client-capabilities.ts";
import type { RootsPort } from "../workspace/workspace-roots.ts";

export interface HostOptions {
  /** The config layers that workspaces read. By default all. Restrictions of the managed layer always apply. */
  readonly config?: readonly ConfigLayer[];
  readonly env?: Env;
  /** How long a question waits for its answer. */
  readonly questionDeadlineMs?: number;
  readonly limits?: Partial<ConnectionLimits>;
  /** How long a server stays connected after the last workspace that used it was released. By default not at all. */
  readonly lingerMs?: number;
  /**
   * False keeps trust, decisions, logins and statistics in memory, and stores no
   * journal, catalogs, logs or long results.
   */
  readonly persist?: boolean;
  /** The path of the administrator's config file, instead of the default path. */
  readonly managedConfigPath?: string;
  /** Returns the secret of that name. By default secrets come from `plugboard secret set` and from the keyring. */
  readonly secrets?: ResolvePorts["secrets"];
  /** Samples a model for servers that may use it. */
  readonly model?: ModelPort;
  /**
   * True if clients of a gateway answer sampling requests with their own models. Servers are told so when they connect.
   */
  readonly forwardsSampling?: boolean;
  /** The extensions of the protocol that the host declares to servers, such as MCP Apps. */
  readonly extensions?: HostExtensions;
  /** Returns the roots for servers of a workspace. Without it, a project's servers get the workspace's folder. */
  readonly roots?: RootsPort;
  /** Opens the login page in a browser. Without it, the user opens the URL in the question. */
  readonly openUrl?: OpenUrlPort;
  /** Stores the keys of the encrypted files of logins and secrets, instead of the operating system's keyring. */
  readonly keyring?: Keyring;
  /** Loads the conversations of the host. Without it, the host has none. */
  readonly chats?: LoadChatService;
}
