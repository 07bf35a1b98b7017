/** Recognises events that several workspaces report: each one that uses a server or a config file does. */
import type { HostEvent } from "@plugboard/contracts";

/** The workspaces read a changed config file at almost the same time. */
const CONFIG_WINDOW_MS = 2000;

type EventOf<Type extends HostEvent["type"]> = Extract<HostEvent, { readonly type: Type }>;

export class RepeatedEvents {
  readonly #states = new Map<string, string>();
  /** When each change of the config was reported first. Has only those of the last seconds. */
  readonly #changes = new Map<string, number>();

  /** Returns true if a server has had this state since its last event, or the config change was just reported. */
  isRepeated(event: HostEvent): boolean {
    if (event.type === "server.changed") return this.#isRepeatedState(event);
    return event.type === "config.changed" && this.#isRepeatedChange(event);
  }

  #isRepeatedState({ server, state, error }: EventOf<"server.changed">): boolean {
    const reported = `${state} ${error?.code ?? ""}`;
    if (this.#states.get(server) === reported) return true;
    this.#states.set(server, reported);
    return false;
  }

  #isRepeatedChange({ at, added, removed, changed }: EventOf<"config.changed">): boolean {
    for (const [change, since] of this.#changes)
      if (Math.abs(at - since) >= CONFIG_WINDOW_MS) this.#changes.delete(change);
    const change = JSON.stringify([added, removed, changed]);
    if (this.#changes.has(change)) return true;
    this.#changes.set(change, at);
    return false;
  }
}
