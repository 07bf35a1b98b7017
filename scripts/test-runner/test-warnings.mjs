// @ts-check
/** Fails the run if a test adds many listeners to one emitter, because Node warns of this as a leak. */

const WATCHED = Symbol.for("plugboard.watched-warnings");

// Test files share the process, so an earlier one may have added the listener.
if (!(WATCHED in process)) {
  Object.assign(process, { [WATCHED]: true });
  process.on("warning", (warning) => {
    // The warning itself holds the whole emitter, which would fill the report.
    if (warning.name === "MaxListenersExceededWarning") throw new Error(warning.stack ?? warning.message);
  });
}
