// @ts-check
/** Fails the run if Node warns that an emitter has so many listeners that it may be a leak. */

const WATCHED = Symbol.for("plugboard.watched-warnings");

// Test files share the process, so an earlier file may have added the listener.
if (!(WATCHED in process)) {
  Object.assign(process, { [WATCHED]: true });
  process.on("warning", (warning) => {
    // Throws a new error, because the warning itself holds the whole emitter, which would fill the report.
    if (warning.name === "MaxListenersExceededWarning") throw new Error(warning.stack ?? warning.message);
  });
}
