/**
 * The one table of rights: what each holder may do. Every method of the control API and every route names its right,
 * and all checks read this table. docs/rights.md is generated from it.
 */
import { HostError } from "../../errors/error.ts";
import type { Caller } from "../host/caller.ts";
import { ALL_HOLDERS, holderOf } from "./holder.ts";
import type { Holder } from "./holder.ts";

/** `own`: only its own calls and questions; for an App, only its own server. */
export type Grant = "all" | "own" | "none";

interface RightSpec {
  /** Describes the right in the docs. */
  readonly allows: string;
  /** The reason in the error for a holder without the right. */
  readonly denied: string;
  readonly all: readonly Holder[];
  readonly own?: readonly Holder[];
}

const CLIENTS = ["client", "approving_client", "subject", "approving_subject"] as const;
/** The doors of the user. The owner's token may be stolen, so alone it opens less than the page and the socket. */
const USER = ["owner_token", "page", "socket"] as const;

/** A right belongs only to the holders that its row lists. */
export const RIGHTS = {
  ask_health: {
    allows: "ask whether the host runs",
    denied: "this is only for requests to the port",
    all: ALL_HOLDERS,
  },
  open_page: {
    allows: "load the files of the page, sign in with a one-time code, and read where to get a token",
    denied: "this is only for requests to the port",
    all: ALL_HOLDERS,
  },
  use_gateway: {
    allows: "use the gateway as an MCP client, within the profile of its token",
    denied: "only a client's token or the owner's token opens /mcp",
    all: [...CLIENTS, "stdio", "owner_token"],
  },
  read_metrics: {
    allows: "read `/metrics`, unless its token is bound to a profile",
    denied: "only the owner's token, and tokens that are not bound to a profile, open /metrics",
    all: ["client", "approving_client", "owner_token"],
  },
  approve: {
    allows: "give permission by the client's own prompt, for the calls of this client",
    denied: "only a client whose token may approve can give permission",
    all: ["approving_client", "approving_subject", "stdio", "owner_token"],
  },
  open_channel: {
    allows: "open a channel of the control API",
    denied: "this token is only for MCP clients, at /mcp",
    all: ["chat", ...USER],
  },
  see_catalog: {
    allows: "see servers, tools, resources, prompts and skills",
    denied: "only the user, a conversation, a client or an App can see this",
    all: [...CLIENTS, "stdio", "chat", ...USER],
    own: ["app"],
  },
  see_calls: {
    allows: "see calls and decisions in events",
    denied: "only the user can see the calls of others",
    all: USER,
    own: [...CLIENTS, "stdio", "chat"],
  },
  read_activity: {
    allows: "read the journal, the metrics and the stored decisions of all callers",
    denied: "only the user can read the activity of all callers",
    all: USER,
  },
  use_servers: {
    allows: "start servers, call tools, read resources, get prompts and skills, as the rules permit",
    denied: "only the user, a conversation, a client or an App can use servers",
    all: [...CLIENTS, "stdio", "chat", ...USER],
    own: ["app"],
  },
  control_servers: {
    allows: "connect, disconnect, enable and disable the servers and tools of an open workspace",
    denied: "only the user or a conversation can do this",
    all: ["chat", ...USER],
  },
  answer: {
    allows: "answer its own questions (*own*), or also those of clients, servers and watched chats (*yes*)",
    denied: "only the user can answer questions",
    all: USER,
    own: [...CLIENTS, "stdio", "chat"],
  },
  watch_inbox: {
    allows: "get the permission questions of clients that can't ask their own user",
    denied: "a gateway client or a conversation can't watch the inbox",
    all: USER,
  },
  use_chats: {
    allows: "create, resume and use chats",
    denied: "a gateway client or a conversation can't use chats",
    all: USER,
  },
  change_accounts: {
    allows: "log in and out, change secrets, revoke decisions, and see hidden tools",
    denied: "only the user may do this, not a gateway client or a conversation",
    all: USER,
  },
  use_native_tools: {
    allows: "use the tools for files and commands: in a chat, in its workspace, and in answers to questions about them",
    denied:
      "the owner's token alone can't use the tools for files and commands; leave them out, or use `plugboard chat` or the page (`plugboard ui`)",
    all: ["chat", "page", "socket"],
  },
  trust: {
    allows:
      "approve the servers of a project's config, withdraw the approval, and see what is masked in their definitions for others",
    denied: "only the user can approve servers, with `plugboard trust` or on the page (`plugboard ui`)",
    all: ["page", "socket"],
  },
  manage: {
    allows: "change config files, rules, tokens and clients",
    denied: "only the user can manage the host, with `plugboard` on the command line or on the page (`plugboard ui`)",
    all: ["page", "socket"],
  },
  add_servers: {
    allows: "add servers, rules, config files or an environment to a workspace or a chat",
    denied:
      "only a program on the socket can add servers, rules, config files or an environment; use `plugboard add` for a server",
    all: ["chat", "socket"],
  },
  open_folders: {
    allows: "open a workspace or a chat in another folder than the served one",
    denied: "only a program on the socket can open another folder; run `plugboard` there",
    all: ["chat", "socket"],
  },
  read_secrets: {
    allows:
      "read the owner's token, secrets that are in plain text in config files, and variables that definitions use",
    denied:
      "only a program on the socket can read secrets; use `plugboard token show` or `plugboard export --show-secrets`",
    all: ["socket"],
  },
  control_host: {
    allows: "open and close the port, get a link to the page, rotate and drop keys, and stop the host",
    denied:
      "only a program on the socket can control the host; use `plugboard serve`, `plugboard stop`, `plugboard ui` or `plugboard keys`",
    all: ["socket"],
  },
} as const satisfies { readonly [name: string]: RightSpec };

export type Right = keyof typeof RIGHTS;

export function grantOf(holder: Holder, right: Right): Grant {
  const { all, own = [] }: RightSpec = RIGHTS[right];
  return all.includes(holder) ? "all" : own.includes(holder) ? "own" : "none";
}

/** Returns true if the grant is `all` or `own`. */
export function hasRight(holder: Holder, right: Right): boolean {
  return grantOf(holder, right) !== "none";
}

/** Throws FORBIDDEN if the caller does not have the right. */
export function requireRight(caller: Caller, right: Right): void {
  if (!hasRight(holderOf(caller), right)) throw rightMissing(right);
}

/** Returns true if the client's own permission prompt counts as the user's permission. */
export function mayApprove(caller: Caller): boolean {
  return hasRight(holderOf(caller), "approve");
}

export function rightMissing(right: Right): HostError {
  return new HostError("FORBIDDEN", { reason: RIGHTS[right].denied });
}
