/** Repeats a request or a connection attempt after a login, if the server refused it with AUTH_REQUIRED. */
import { toHostError } from "@plugboard/contracts";
import type { Caller, HostError } from "@plugboard/contracts";

export interface LoginContext {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks the caller to log in at the server that refused a request with `error`. Resolves to whether the caller is
 * logged in now, so that the request can be sent again. Rejects if the login failed.
 */
export type AskForLogin = (error: HostError, context: LoginContext) => Promise<boolean>;

/** The number of logins that one call or connection attempt asks for. */
const MAX_LOGINS = 3;

/** Runs `work`. If it throws AUTH_REQUIRED, asks for a login and runs it again. `timing` gets the time of the logins. */
export async function retryAfterLogin<Result>(
  askForLogin: AskForLogin | undefined,
  context: LoginContext,
  work: () => Promise<Result>,
  timing?: { questionMs: number },
): Promise<Result> {
  for (let logins = 0; ; logins++) {
    try {
      return await work();
    } catch (thrown) {
      const error = toHostError(thrown);
      if (error.code !== "AUTH_REQUIRED" || logins === MAX_LOGINS) throw error;
      const askedAt = performance.now();
      const isLoggedIn = await askForLogin?.(error, context);
      if (timing) timing.questionMs += performance.now() - askedAt;
      if (!isLoggedIn) throw error;
    }
  }
}
