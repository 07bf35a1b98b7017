/** The path of the command's executable. The relative path is the same from the bundled modules. */
import { fileURLToPath } from "node:url";

export function commandPath(): string {
  return fileURLToPath(new URL("../../bin/plugboard.js", import.meta.url));
}
