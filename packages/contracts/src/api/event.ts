import type { Caller } from "./caller.ts";
import type { HostErrorCode, HostErrorJson } from "../errors/error.ts";
import type { PermissionAnswer, Question, Settlement } from "./question.ts";
import type { ServerState } from "./server-status.ts";

/** Facts, each stated once by the layer that knows it; front ends phrase them. */
export type HostEventData =
  | {
      readonly type: "server.changed";
      readonly server: string;
      readonly state: ServerState;
      readonly error?: HostErrorJson;
    }
  | { readonly type: "catalog.changed"; readonly server: string; readonly tools: number }
  | {
      readonly type: "call.started";
      readonly call: string;
      readonly caller: Caller;
      readonly server: string;
      readonly tool: string;
    }
  | {
      readonly type: "call.ended";
      readonly call: string;
      readonly caller: Caller;
      readonly server: string;
      readonly tool: string;
      readonly outcome: "complete" | "failed";
      /** The tool itself says that it failed; for the host the call is complete. */
      readonly isError?: true;
      /** Why it failed, without what the server said of it: that is for the caller alone. */
      readonly code?: HostErrorCode;
      readonly durationMs: number;
      /** Where they are known without counting. */
      readonly argumentBytes?: number;
      readonly resultBytes?: number;
    }
  | { readonly type: "question.asked"; readonly question: Question }
  | { readonly type: "question.settled"; readonly question: Question; readonly settlement: Settlement }
  /** A server asked, and nobody was there to be asked. */
  | {
      readonly type: "question.unattended";
      readonly owner: Caller;
      readonly server: string;
      readonly tool?: string;
      readonly message: string;
    }
  /** Somebody decided on a call, or it was denied; that a rule allows one is not told each time. */
  | {
      readonly type: "decision.made";
      readonly caller: Caller;
      readonly server: string;
      readonly tool: string;
      /** `allow`: what was asked had been answered for longer than once meanwhile. */
      readonly decision: PermissionAnswer["decision"] | "allow" | "deny" | "nobody to ask" | "dismissed" | "deadline";
      readonly by: "rule" | "user" | "stored" | "default";
      /** Why an answer for good could not be stored; it holds until the caller ends. */
      readonly error?: HostErrorJson;
    }
  /** `expired`: it is no longer good and can't be renewed. */
  | {
      readonly type: "login.changed";
      readonly server: string;
      readonly change: "logged_in" | "renewed" | "expired" | "logged_out";
    }
  /** Somebody else is at it, here or in another process, and is waited for. */
  | { readonly type: "login.waiting"; readonly server: string }
  | { readonly type: "login.failed"; readonly server: string; readonly error: HostErrorJson }
  /** A server wanted a text of the model, and nobody was even asked. */
  | { readonly type: "sampling.refused"; readonly server: string; readonly tool?: string; readonly reason: string }
  | {
      readonly type: "port.failed";
      readonly port: "answer" | "model" | "roots" | "openUrl";
      readonly error: HostErrorJson;
    }
  /** The servers of a workspace are not what they were, by their ids. */
  | {
      readonly type: "config.changed";
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    }
  /** A file of the config can't be read; what was read before stays in effect. */
  | { readonly type: "config.refused"; readonly error: HostErrorJson }
  /** Something could not be kept on disk, or read from there; what is in memory still serves. */
  | { readonly type: "state.failed"; readonly error: HostErrorJson }
  /** The journal can't be written for now; calls go on. Said once, until it can be written again. */
  | { readonly type: "activity.failed"; readonly reason: string };

/** Sequence numbers rise by one for each fact of a host. */
export type HostEvent = HostEventData & { readonly seq: number; readonly at: number };
