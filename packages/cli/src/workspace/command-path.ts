/** The path of the command's executable. Modules of this folder and bundled modules are equally far from it. */
import { fileURLToPath } from "node:url";

export function commandPath(): string {
  return fileURLToPath(new URL("../../bin/plugboard.js", import.meta.url));
}
