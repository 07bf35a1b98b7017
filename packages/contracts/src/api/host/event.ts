/** The events that a host emits. */
import type { Caller } from "./caller.ts";
import type { ChatEvent } from "../chat/chat-event.ts";
import type { HostErrorCode, HostErrorJson } from "../../errors/error.ts";
import type { PermissionAnswer, Question, QuestionOwner, Settlement } from "../workspace/question.ts";
import type { ServerState } from "../workspace/server-status.ts";

/** The events of a host without sequence number and time. A front end turns them into text. */
export type HostEventData =
  | {
      readonly type: "server.changed";
      readonly server: string;
      readonly state: ServerState;
      readonly error?: HostErrorJson;
      /** When the next connection attempt begins, in milliseconds since 1970. */
      readonly retryAt?: number;
    }
  | { readonly type: "catalog.changed"; readonly server: string; readonly tools: number }
  /** A resource that the caller has subscribed to has changed, or may have. Only this caller gets the event. */
  | {
      readonly type: "resource.updated";
      readonly caller: Caller;
      readonly server: string;
      /** The URI of the subscription. The changed resource may lie below it. */
      readonly uri: string;
    }
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
      /** The tool returned a result with `isError`. The call itself is complete. */
      readonly isError?: true | undefined;
      /** The result did not match the output schema of its tool. The caller got it without its structured content. */
      readonly schemaMismatch?: true | undefined;
      /** The error code. The server's message is not included, because only the caller may see it. */
      readonly code?: HostErrorCode | undefined;
      /** The call ended before it was sent to its server. */
      readonly notSent?: true | undefined;
      /** Precise to the microsecond, such as 12.345. The next four times are, too. */
      readonly durationMs: number;
      /**
       * The time in which the call waited until its server was connected. This and the next three are absent if the
       * call did not wait.
       */
      readonly startMs?: number | undefined;
      /** The time in which it waited for its turn at the server. */
      readonly queueMs?: number | undefined;
      /** The time in which it waited for a person or for the caller's model. */
      readonly questionMs?: number | undefined;
      /** The time from its first attempt to its last one. */
      readonly retryMs?: number | undefined;
      /** Estimated sizes as JSON. A failed call has no result. */
      readonly argumentBytes?: number | undefined;
      readonly resultBytes?: number | undefined;
    }
  | { readonly type: "question.asked"; readonly question: Question }
  | { readonly type: "question.settled"; readonly question: Question; readonly settlement: Settlement }
  /**
   * A server asked a question that nobody could answer. Either the caller has no user, or the question belongs to the
   * workspace and nobody watches the inbox. A question belongs to the workspace if the server does not
   * say which of several callers it asks, or if the client of the gateway can't be asked.
   */
  | {
      readonly type: "question.unattended";
      readonly owner: QuestionOwner;
      readonly server: string;
      readonly tool?: string;
      readonly message: string;
    }
  /** A person decided on a call, or a call was denied. A call that a rule allows emits no such event. */
  | {
      readonly type: "decision.made";
      readonly call: string;
      readonly caller: Caller;
      readonly server: string;
      readonly tool: string;
      /** `allow`: the tool was allowed by the answer to another question in the meantime. */
      readonly decision: PermissionAnswer["decision"] | "allow" | "deny" | "nobody_to_ask" | "dismissed" | "deadline";
      /** The origin of the decision. `stored` is the answer to another question. */
      readonly by: "rule" | "user" | "stored" | "default";
      /** Set if the answer `always` could not be stored. The decision is then valid for the session. */
      readonly error?: HostErrorJson;
    }
  /** `expired`: the login is invalid and can't be refreshed. */
  | {
      readonly type: "login.changed";
      readonly server: string;
      readonly change: "logged_in" | "refreshed" | "expired" | "logged_out";
      /** The name of the principal of the gateway whose own login it is. Absent for the owner's. */
      readonly principal?: string;
    }
  /** Another login at this server is in progress, here or in another process. The caller waits for it. */
  | { readonly type: "login.waiting"; readonly server: string }
  | { readonly type: "login.failed"; readonly server: string; readonly error: HostErrorJson }
  /** A sampling request was refused without asking the user. */
  | { readonly type: "sampling.refused"; readonly server: string; readonly tool?: string; readonly reason: string }
  /** A function that the embedding program has given the host (a port) has failed. */
  | {
      readonly type: "port.failed";
      readonly port: "answer" | "model" | "roots" | "openUrl";
      readonly error: HostErrorJson;
    }
  /**
   * The servers of a workspace have changed. The lists contain server ids. They are empty if no server has changed, but
   * a config file that could not be read is valid again.
   */
  | {
      readonly type: "config.changed";
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    }
  /**
   * A client of the gateway has connected, disconnected or said its name. `ClientCounts.connected` lists the clients.
   */
  | { readonly type: "clients.changed" }
  /**
   * A config file can't be read, and its previous content stays in effect. Or the port needs a setting that is gone.
   */
  | { readonly type: "config.failed"; readonly error: HostErrorJson }
  /** A state file can't be read or written. The host continues with its state in memory. */
  | { readonly type: "state.failed"; readonly error: HostErrorJson }
  /** A stored permission was dropped, because it does not say for whom it was given. The user is asked again. */
  | { readonly type: "decision.dropped"; readonly server: string; readonly tool: string }
  /** The server has changed a tool that was allowed for more than one call, so the user is asked again. */
  | { readonly type: "decision.lapsed"; readonly server: string; readonly tool: string }
  /** The journal can't be written. Emitted once until writing works again; calls continue. */
  | { readonly type: "activity.failed"; readonly reason: string }
  /** An event of a chat. Only the watchers of the chat get it. */
  | { readonly type: "chat.event"; readonly chat: string; readonly event: ChatEvent }
  /**
   * The reader was too slow, or asked for events that are no longer stored. It should read again what it shows, such as
   * a chat with `chats.resume`. `seq` is that of the latest missed event.
   */
  | { readonly type: "events.missed"; readonly count: number }
  /** Spans or metrics can't be sent to the collector. Emitted once until sending works again; calls continue. */
  | { readonly type: "telemetry.failed"; readonly reason: string };

/** An event of a host. The sequence number increases by one with each event of all callers. */
export type HostEvent = HostEventData & {
  readonly seq: number;
  /** When it was emitted, in milliseconds since 1970. */
  readonly at: number;
};
