/**
 * If a server refuses a call or a connection attempt because a login is missing, asks for the login, so that the call
 * or attempt can be repeated.
 */
import { toHostError } from "@plugboard/contracts";
import type { Caller, HostError } from "@plugboard/contracts";
import type { Call } from "./call.ts";

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

/** Runs `work`. If it throws AUTH_REQUIRED, asks for a login and runs it again. */
export async function retryAfterLogin<Result>(
  askForLogin: AskForLogin | undefined,
  context: LoginContext,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let logins = 0; ; logins++) {
    try {
      return await work();
    } catch (thrown) {
      const error = toHostError(thrown);
      if (error.code !== "AUTH_REQUIRED" || logins === MAX_LOGINS) throw error;
      if (!(await askForLogin?.(error, context))) throw error;
    }
  }
}

/**
 * Asks the caller of a failed call to log in, if the call failed because of a missing login. Returns undefined if the
 * call can be repeated, otherwise its error. `logins` is the number of logins that this call has asked for so far.
 */
export async function errorAfterLogin(error: HostError, call: Call, logins: number): Promise<HostError | undefined> {
  if (error.code !== "AUTH_REQUIRED" || logins === MAX_LOGINS || !call.connection) return error;
  const askedAt = performance.now();
  try {
    return (await call.scope.askForLogin(call, error)) ? undefined : error;
  } catch (thrown) {
    return toHostError(thrown);
  } finally {
    call.record.questionMs += performance.now() - askedAt;
  }
}
