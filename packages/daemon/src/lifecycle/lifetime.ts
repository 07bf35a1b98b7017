/** Stops a running host that clients can no longer find, or that no client uses. */
import { steadyNow } from "@plugboard/gateway";
import type { Clock } from "@plugboard/gateway";
import type { SocketClaim } from "./listen-on-socket.ts";

export interface LifetimeOptions {
  readonly clock: Clock;
  readonly stop: () => Promise<void>;
  /** Aborted when stopping begins. A stopping host removes its own socket, which must not trigger another stop. */
  readonly stopping: AbortSignal;
}

const CHECK_PATH_MS = 5000;
const CHECK_IDLE_MS = 1000;

/** Stops the host when its socket no longer has the well-known path. */
export function watchSocketPath(claim: Pick<SocketClaim, "isOwned">, options: LifetimeOptions): void {
  stopWhen(CHECK_PATH_MS, options, async () => !(await claim.isOwned()));
}

/** Stops the host when it has not been busy for `idleMs`. */
export function watchIdle(idleMs: number, busy: () => boolean, options: LifetimeOptions): void {
  const now = () => steadyNow(options.clock);
  let idleSince = now();
  stopWhen(Math.min(idleMs, CHECK_IDLE_MS), options, () => {
    if (busy()) idleSince = now();
    return now() - idleSince >= idleMs;
  });
}

function stopWhen(
  everyMs: number,
  { clock, stop, stopping }: LifetimeOptions,
  shouldStop: () => boolean | Promise<boolean>,
): void {
  const check = async () => {
    const isOver = await shouldStop();
    // Stopping may have begun during the check.
    if (stopping.aborted) return;
    if (isOver) void stop();
    else scheduleCheck();
  };
  const scheduleCheck = () => {
    cancel = clock.after(everyMs, () => void check(), { background: true });
  };
  let cancel = () => {};
  scheduleCheck();
  stopping.addEventListener("abort", () => cancel(), { once: true });
}
