/** The parts of the host that commands use to show config files. They may change in any version. */
export { readStaticConfig } from "./offline/read-static-config.ts";
