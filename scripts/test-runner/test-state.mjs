// @ts-check
/** Prepares the environment of the tests, with separate folders for state and user config. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setup() {
  // Tests use only loopback, and extra certificates make every start of Node 20 several times slower.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  const folder = mkdtempSync(join(tmpdir(), "plugboard-tests-"));
  process.env["HOME"] = join(folder, "home");
  mkdirSync(process.env["HOME"]);
  process.env["XDG_STATE_HOME"] = join(folder, "state");
  process.env["XDG_CONFIG_HOME"] = join(folder, "config");
  return () => rmSync(folder, { recursive: true, force: true });
}
