/** One step of a purge, which removes Plugboard's own files and its entries in the files of other clients. */
import type { DiffLine } from "@plugboard/contracts";

/**
 * `disconnect`: restores the file of a client. `uninstall`: removes the service. `stop`: stops the running host.
 * `forget`: deletes a key from the keyring. `remove`: removes a file or folder.
 */
export type PurgeKind = "disconnect" | "uninstall" | "stop" | "forget" | "remove";

export interface PurgeStep {
  readonly kind: PurgeKind;
  /** What the step does, such as "stop the host (process 4711)". */
  readonly text: string;
  /** The change of a client's file, with masked values. */
  readonly diff?: readonly DiffLine[];
  /** If a step of this kind has failed, this step is skipped. */
  readonly after?: PurgeKind;
  /** `failed` has the kinds of the steps that failed before. */
  run(failed: ReadonlySet<PurgeKind>): Promise<void>;
}
