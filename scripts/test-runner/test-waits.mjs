// @ts-check
/**
 * Gives `vi.waitFor` and `vi.waitUntil` a timeout of ten seconds. Their default of one second is too short if a process
 * has to do something on a busy machine.
 */
import { vi } from "vitest";

const LONGER = Symbol.for("plugboard.longer-waits");
const TIMEOUT_MS = 10_000;

/** @param {"waitFor" | "waitUntil"} name */
function lengthen(name) {
  const wait = vi[name];
  // Test files share the process, so an earlier file may have replaced the function already.
  if (LONGER in wait) return;
  /** @type {typeof vi.waitFor} */
  const longer = (callback, options = {}) =>
    wait(callback, typeof options === "number" ? options : { timeout: TIMEOUT_MS, ...options });
  Object.assign(vi, { [name]: Object.assign(longer, { [LONGER]: true }) });
}

lengthen("waitFor");
lengthen("waitUntil");
