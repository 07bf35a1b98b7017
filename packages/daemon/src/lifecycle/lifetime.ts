/** Stops a running host that clients can no longer find, or that no client uses. */
import { steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { watchFiles } from "@plugboard/store";
import type { SocketClaim } from "./listen-on-socket.ts";

export interface LifetimeOptions {
  readonly clock: Clock;
  readonly stop: () => Promise<void>;
  /** Aborted when stopping begins. A stopping host removes its own socket, which must not trigger another stop. */
  readonly stopping: AbortSignal;
}

const CHECK_IDLE_MS = 5000;

/** Stops the host when its socket no longer has the well-known path. */
export async function watchSocket(
  { file, isOwned }: Pick<SocketClaim, "file" | "isOwned">,
  { stop, stopping }: Omit<LifetimeOptions, "clock">,
): Promise<void> {
  if (file === undefined) return;
  const check = async () => {
    const isLost = !(await isOwned());
    // Stopping may have begun during the check.
    if (isLost && !stopping.aborted) void stop();
  };
  const watch = watchFiles([file], () => void check());
  stopping.addEventListener("abort", () => watch.stop(), { once: true });
  // The path may have been lost before the watch began.
  await check();
}

/** Stops the host when it has not been used for `idleMs`. `used` returns true if it was used since the last call. */
export function watchIdle(idleMs: number, used: () => boolean, { clock, stop, stopping }: LifetimeOptions): void {
  let idleSince = steadyNow(clock);
  const check = () => {
    const now = steadyNow(clock);
    if (used()) idleSince = now;
    if (now - idleSince >= idleMs) void stop();
    else scheduleCheck();
  };
  const scheduleCheck = () => {
    cancel = clock.after(Math.min(idleMs, CHECK_IDLE_MS), check, { background: true });
  };
  let cancel = () => {};
  scheduleCheck();
  stopping.addEventListener("abort", () => cancel(), { once: true });
}
