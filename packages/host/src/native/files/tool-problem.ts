/**
 * A problem is the reason why a native tool can't use a file or run a command. The model reads it, so it names the path
 * as the model wrote it.
 */
import { HostError } from "@plugboard/contracts";
import type { ToolResult } from "@plugboard/contracts";
import { ioErrorCode } from "@plugboard/store";
import { textToolResult } from "../../tools/native-result.ts";

export class ToolProblem extends Error {
  override readonly name = "ToolProblem";
}

/** Runs the tool. A `ToolProblem` becomes a result with `isError`, which the model can read. */
export async function resultOrProblem(run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof ToolProblem)) throw thrown;
    return { ...textToolResult(thrown.message), isError: true };
  }
}

/** Makes the preview of a call. A `ToolProblem` rejects the call before the user is asked about it. */
export async function previewOrReject(tool: string, preview: () => Promise<string>): Promise<string> {
  try {
    return await preview();
  } catch (thrown) {
    if (!(thrown instanceof ToolProblem)) throw thrown;
    const reason = thrown.message.replace(/\.$/, "");
    throw new HostError("INVALID_ARGUMENTS", { tool: `native:${tool}`, reason }, { cause: thrown });
  }
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: "does not exist",
  ENOTDIR: "is below a file, not below a folder",
  EISDIR: "is a folder",
  EACCES: "can't be opened: permission denied",
  EPERM: "can't be opened: the operation is not permitted",
  ELOOP: "leads through too many symbolic links, or changed during the call",
  ENAMETOOLONG: "is too long for a path",
  EROFS: "is on a read-only file system",
  ENOSPC: "can't be written: the disk is full",
  EDQUOT: "can't be written: the disk quota is used up",
};

/** Converts an error of the file system. Returns other errors unchanged. */
export function toToolProblem(path: string, thrown: unknown): unknown {
  if (thrown instanceof ToolProblem) return thrown;
  const origin = thrown instanceof HostError && thrown.code === "STORE_UNWRITABLE" ? thrown.cause : thrown;
  const code = ioErrorCode(origin);
  if (code === "unknown") return thrown;
  return new ToolProblem(`"${path}" ${REASONS[code] ?? `can't be used (${code})`}.`, { cause: thrown });
}
