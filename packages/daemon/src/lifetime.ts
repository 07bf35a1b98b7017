/** Ends a running host by itself: when clients can't find it any more, or when none has come for a while. */
import { steadyNow } from "@plugboard/gateway";
import type { Clock } from "@plugboard/gateway";
import type { SocketName } from "./listen-socket.ts";

export interface LifetimeOptions {
  readonly clock: Clock;
  readonly stop: () => Promise<void>;
  /** Fires when stopping begins. A host that stops gives up its name, and must not take that for a loss. */
  readonly stopping: AbortSignal;
}

const CHECK_NAME_MS = 5000;
const CHECK_IDLE_MS = 1000;

/** Stops the host when another has taken the socket's name. */
export function watchSocketName(name: Pick<SocketName, "held">, options: LifetimeOptions): void {
  repeat(CHECK_NAME_MS, options, async () => !(await name.held()));
}

/** Stops the host when nothing has been using it for so long. */
export function watchIdle(idleMs: number, busy: () => boolean, options: LifetimeOptions): void {
  const now = () => steadyNow(options.clock);
  let idleSince = now();
  repeat(Math.min(idleMs, CHECK_IDLE_MS), options, () => {
    if (busy()) idleSince = now();
    return now() - idleSince >= idleMs;
  });
}

function repeat(
  everyMs: number,
  { clock, stop, stopping }: LifetimeOptions,
  isOver: () => boolean | Promise<boolean>,
): void {
  const check = async () => {
    const over = await isOver();
    // Stopping may have begun while this was being found out.
    if (stopping.aborted) return;
    if (over) void stop();
    else wait();
  };
  const wait = () => {
    cancel = clock.after(everyMs, () => void check(), true);
  };
  let cancel = () => {};
  wait();
  stopping.addEventListener("abort", () => cancel(), { once: true });
}
