/** Why a file could not be written, in words. */
import { HostError } from "@plugboard/contracts";

const REASONS: { readonly [code: string]: string } = {
  ENOSPC: "the disk is full",
  EDQUOT: "your share of the disk is used up",
  EFBIG: "it would be larger than files may be",
  EACCES: "you may not write in its folder",
  EPERM: "it is not allowed",
  EROFS: "the file system is read-only",
  ENOENT: "its folder is not there",
  ENOTDIR: "its folder is not a folder",
  EEXIST: "its folder is not a folder",
  EISDIR: "it is a folder",
  EMFILE: "too many files are open",
  EIO: "the disk fails",
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

/** `ENOSPC` and the like; a word for what is not of the file system. */
export function ioErrorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "unknown";
}
