// @ts-check
/** Prepares the environment of the tests: their state and the user's config are folders of their own. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setup() {
  // Tests talk to loopback only. Reading extra certificates makes every start of Node 20 several times slower.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  const folder = mkdtempSync(join(tmpdir(), "plugboard-tests-"));
  process.env["HOME"] = join(folder, "home");
  mkdirSync(process.env["HOME"]);
  process.env["XDG_STATE_HOME"] = join(folder, "state");
  process.env["XDG_CONFIG_HOME"] = join(folder, "config");
  return () => rmSync(folder, { recursive: true, force: true });
}
