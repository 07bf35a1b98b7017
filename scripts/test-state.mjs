// @ts-check
/** Tests keep their state, and look for the user's config, in folders of their own: never in those of whoever runs them. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setup() {
  const folder = mkdtempSync(join(tmpdir(), "plugboard-tests-"));
  process.env["HOME"] = join(folder, "home");
  mkdirSync(process.env["HOME"]);
  process.env["XDG_STATE_HOME"] = join(folder, "state");
  process.env["XDG_CONFIG_HOME"] = join(folder, "config");
  return () => rmSync(folder, { recursive: true, force: true });
}
