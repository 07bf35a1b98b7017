/** Recognises repeated states of servers: each workspace that uses a server reports them. */
import type { ServerState } from "@plugboard/contracts";

interface ReportedState {
  readonly server: string;
  readonly state: ServerState;
  /** The code of the last error. */
  readonly code?: string | undefined;
}

export class RepeatedStates {
  readonly #last = new Map<string, string>();

  /** Returns true if the server has had this state with this error since the last call. Remembers the state. */
  isRepeated({ server, state, code = "" }: ReportedState): boolean {
    const reported = `${state} ${code}`;
    if (this.#last.get(server) === reported) return true;
    this.#last.set(server, reported);
    return false;
  }
}
