import type { Caller } from "./caller.ts";
import type { HostErrorJson } from "./error.ts";
import type { Question, Settlement } from "./question.ts";
import type { ServerState } from "./server-status.ts";

/** Facts, each stated once by the layer that knows it; front ends phrase them. */
export type HostFact =
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
      readonly outcome: "complete" | "failed";
      readonly error?: HostErrorJson;
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
  | { readonly type: "port.failed"; readonly port: "answer"; readonly error: HostErrorJson };

/** Sequence numbers rise by one for each fact of a host. */
export type HostEvent = HostFact & { readonly seq: number; readonly at: number };
