/** Handles the signals that stop a command without an end of its own. */
import { isDuplicateSignal } from "./interruption.ts";

/** Calls `stop` for the first signal and for each later one. Returns a function that ends this. */
export function onStopSignal(stop: () => void): () => void {
  let firstSignalAt: number | undefined;
  const onSignal = () => {
    if (firstSignalAt !== undefined && isDuplicateSignal(firstSignalAt)) return;
    firstSignalAt ??= performance.now();
    stop();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal);
  return () => void process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGHUP", onSignal);
}
