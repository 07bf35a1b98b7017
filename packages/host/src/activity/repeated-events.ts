/**
 * Recognises repeated events, so that the journal records them once. Every workspace that uses a server or a config
 * file reports its changes.
 */
import type { HostEvent } from "@plugboard/contracts";

/** Equal changes within this time are one change: all workspaces read a changed config file at almost the same time. */
const CONFIG_WINDOW_MS = 2000;

type EventOf<Type extends HostEvent["type"]> = Extract<HostEvent, { readonly type: Type }>;

export class RepeatedEvents {
  /** The last reported state of each server. */
  readonly #states = new Map<string, string>();
  /** When each change of the config was first reported. Older changes are deleted. */
  readonly #changes = new Map<string, number>();

  /**
   * Returns true if the last event of the server had the same state, or if the same config change was just reported.
   */
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
