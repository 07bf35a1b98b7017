/** The errors of guarded requests. A login and a registry fail with different error codes. */
import { HostError } from "@plugboard/contracts";

export interface RequestErrors {
  /** Creates the error for a request without a readable response. */
  failed(reason: string, cause?: unknown): HostError;
  /** Creates the error for a request that must not be sent. */
  unsafe(reason: string): HostError;
}

/** Creates the errors of a login at a server. */
export function loginErrors(server: string): RequestErrors {
  return {
    failed: (reason, cause) => new HostError("LOGIN_FAILED", { server, reason }, { cause }),
    unsafe: (reason) => new HostError("LOGIN_UNSAFE", { server, reason }),
  };
}
