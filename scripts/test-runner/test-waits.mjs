// @ts-check
/** Gives `vi.waitFor` and `vi.waitUntil` ten seconds, because their default of one is short for a process on a busy machine. */
import { vi } from "vitest";

const LONGER = Symbol.for("plugboard.longer-waits");
const TIMEOUT_MS = 10_000;

/** @param {"waitFor" | "waitUntil"} name */
function lengthen(name) {
  const wait = vi[name];
  // Test files share the process, so an earlier one has already done it.
  if (LONGER in wait) return;
  /** @type {typeof vi.waitFor} */
  const longer = (callback, options = {}) =>
    wait(callback, typeof options === "number" ? options : { timeout: TIMEOUT_MS, ...options });
  Object.assign(vi, { [name]: Object.assign(longer, { [LONGER]: true }) });
}

lengthen("waitFor");
lengthen("waitUntil");
