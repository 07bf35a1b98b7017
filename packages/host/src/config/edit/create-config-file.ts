/** Creates an empty config file, for an editor to open. */
import { dirname } from "node:path";
import { stat } from "node:fs/promises";
import { ioErrorCode, unwritableError } from "../../store/io-error.ts";
import { makeFolder } from "../../store/make-folder.ts";
import { writeAtomically } from "../../store/write-atomically.ts";
import { EMPTY_CONFIG } from "./apply-change.ts";

/** Does nothing if the file exists. */
export async function createConfigFile(file: string): Promise<void> {
  try {
    await stat(file);
  } catch (error) {
    if (ioErrorCode(error) !== "ENOENT") throw unwritableError(file, error);
    await makeFolder(dirname(file)).catch((thrown: unknown) => {
      throw unwritableError(file, thrown);
    });
    await writeAtomically(file, EMPTY_CONFIG, { copyModeFrom: undefined });
  }
}
