/** Makes the error for an invalid command line. The error names the command whose help explains it. */
import { HostError, nearest } from "@plugboard/contracts";

interface UsageContext {
  /** The command whose help the error points to. By default the general help. */
  readonly command?: string | undefined;
  /** The text that was not recognised. The error suggests the most similar text of `known`. */
  readonly typed?: string;
  readonly known?: readonly string[];
  /** What to do if no known text is similar. */
  readonly advice?: string | undefined;
}

export function usageError(message: string, { command, typed, known = [], advice }: UsageContext = {}): HostError {
  const suggestion = typed === undefined ? undefined : nearest(typed, known);
  return new HostError("USAGE", {
    message: suggestion === undefined && advice !== undefined ? `${message}. ${advice}` : message,
    ...(command !== undefined && { command }),
    ...(suggestion !== undefined && { suggestion }),
  });
}
