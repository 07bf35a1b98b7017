/** The options of a connection: how to reach the server, its timeouts, and the host's callbacks. */
import type { Era, LogEntry, Clock, Redactor } from "@plugboard/contracts";
import type { CatalogPart, CatalogStore } from "../catalog/catalog.ts";
import type { Processes } from "../process/index.ts";
import type { Identity } from "../session/identity.ts";
import type { ClientFeatures, OnUnattributedRequest } from "../session/session.ts";
import type { Credentials } from "../transport/http/credentials.ts";
import type { EraStore } from "./open-link.ts";
import type { Target } from "./target.ts";

export interface ConnectionOptions {
  /** The server's id, for error messages. */
  readonly server: string;
  readonly target: Target;
  /** Supplies the auth headers of network requests, in addition to the headers of the target. */
  readonly credentials?: Credentials | undefined;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly random?: () => number;
  readonly identity: Identity;
  readonly startupTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Remembers the server's era and how it asks between runs. */
  readonly eraStore: EraStore;
  /** The only era that a session may have. If absent, the era is detected. */
  readonly onlyEra?: Era | undefined;
  /** The interval of health pings. 0 disables them. If absent, the target decides. */
  readonly healthIntervalMs?: number | undefined;
  /** With `lazy`, the stored catalog is shown while the server is not running. */
  readonly start?: "eager" | "lazy" | undefined;
  /** Stops the server when it was not used for this long. The next request starts it again. */
  readonly idleStopMs?: number | undefined;
  /** Stores the server's catalog between runs. */
  readonly catalogStore?: CatalogStore | undefined;
  /** With `safe`, requests that are safe to repeat are sent again when they are lost or rejected temporarily. */
  readonly retry?: "safe" | "never";
  readonly onUnattributedRequest: OnUnattributedRequest;
  readonly onChanged: (part: "state" | CatalogPart) => void;
  readonly clientCapabilities?: ClientFeatures;
  /** Called with the text that the server prints besides its answers. It contains secrets that are not redacted. */
  readonly onOutput?: ((output: ServerOutput) => void) | undefined;
  /** Removes the secrets of the target from errors and from stderr output. */
  readonly redactor?: Redactor | undefined;
}

/** A part of the output of a server's process on stderr, or a log message. */
export type ServerOutput =
  | { readonly stream: "stderr"; readonly chunk: Buffer }
  | { readonly stream: "log"; readonly entry: LogEntry };
