import { runChildIn } from "../../../store/test/helpers/run-child.ts";
import type { ChildResult } from "../../../store/test/helpers/run-child.ts";

/** Runs an ES module, which can import the same modules as the tests of this package. */
export function runChild(program: string, shellSetup?: string): Promise<ChildResult> {
  return runChildIn(import.meta.dirname, program, shellSetup);
}
