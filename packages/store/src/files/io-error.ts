/** Converts errors of the file system to STORE_UNWRITABLE with a reason for people. */
import { HostError } from "@plugboard/contracts";

const REASONS: { readonly [code: string]: string } = {
  ENOSPC: "the disk is full",
  EDQUOT: "your disk quota is used up",
  EFBIG: "it would exceed the file size limit",
  EACCES: "you have no permission to write to its folder",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only",
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is not a folder",
  EEXIST: "its folder is not a folder",
  EISDIR: "it is a folder",
  EMFILE: "too many files are open",
  EIO: "the disk reports an error",
};

export function unwritableError(file: string, error: unknown): HostError<"STORE_UNWRITABLE"> {
  const code = ioErrorCode(error);
  const reason = REASONS[code];
  return new HostError(
    "STORE_UNWRITABLE",
    { file, reason: reason === undefined ? code : `${reason} (${code})` },
    { cause: error },
  );
}

/** Returns a code such as `ENOSPC`, or "unknown" for other errors. */
export function ioErrorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "unknown";
}
