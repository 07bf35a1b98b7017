/** The options of a connection: how to reach the server, its timeouts, and the host's callbacks. */
import type { Era, LogEntry, Clock, Redactor } from "@plugboard/contracts";
import type { CatalogPart, CatalogStore } from "../catalog/catalog.ts";
import type { Processes } from "../process/index.ts";
import type { Identity } from "../session/identity.ts";
import type { ClientFeatures, OnUnattributedRequest } from "../session/session.ts";
import type { Credentials } from "../transport/http/credentials.ts";
import type { EraStore } from "./open-link.ts";
import type { Target } from "./target.ts";

/** The settings that can change while the connection is open. They come from the server's definition. */
export interface ConnectionSettings {
  readonly startupTimeoutMs: number;
  /** The timeout of listings. A call has its own. */
  readonly requestTimeoutMs: number;
  /** The interval of health pings. 0 disables them. If absent, the target decides. */
  readonly healthIntervalMs?: number | undefined;
  /** With `lazy`, the stored catalog is shown while the server is not running. */
  readonly start?: "eager" | "lazy" | undefined;
  /** Stops the server when it was not used for this long. The next request starts it again. 0 means never. */
  readonly idleStopMs?: number | undefined;
  /**
   * With `safe`, the default, requests that are safe to repeat are sent again if they are lost or temporarily rejected.
   */
  readonly retry?: "safe" | "never" | undefined;
}

/** The settings apply at the beginning. `Connection.updateSettings` changes them. */
export interface ConnectionOptions extends ConnectionSettings {
  /** The server's id, for error messages. */
  readonly server: string;
  readonly target: Target;
  /** Supplies the auth headers of network requests, in addition to the headers of the target. */
  readonly credentials?: Credentials | undefined;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly random?: () => number;
  readonly identity: Identity;
  /** Remembers between runs which era the server has, and how it asks. */
  readonly eraStore: EraStore;
  /** The only era that a session may have. If absent, the era is detected. */
  readonly onlyEra?: Era | undefined;
  /** Stores the server's catalog between runs. */
  readonly catalogStore?: CatalogStore | undefined;
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
