/**
 * A login that a principal of the gateway performs in its own client. It is no question in the inbox: somebody else who
 * answered it there would log in with their own account. The redirect of the browser can't reach this host, so the user
 * enters a code on the page, or pastes the URL at which the browser ends.
 */
import { HostError, isHostError, parseUrl, toHostError } from "@plugboard/contracts";
import type { LoginStep, Clock } from "@plugboard/contracts";
import type { LoginInteraction } from "./obtain-tokens.ts";

/** How long the user may take. The call that needs the login may end earlier. A later call then finds the login. */
const DEADLINE_MS = 10 * 60_000;

export class ClientLogin {
  readonly server: string;
  readonly step: LoginStep;
  /** Resolves when the user is logged in. Rejects if the login fails, or is cancelled. */
  readonly done: Promise<void>;
  /** Aborts when the login has ended. */
  readonly ended: AbortSignal;
  readonly #paste: (url: URL) => void;
  readonly #cancel: () => void;

  private constructor(fields: Pick<ClientLogin, "server" | "step" | "done" | "ended">, ports: ClientLoginPorts) {
    this.server = fields.server;
    this.step = fields.step;
    this.done = fields.done;
    this.ended = fields.ended;
    this.#paste = ports.paste;
    this.#cancel = ports.cancel;
  }

  /** Starts a login, and resolves when the step for the user is known. Resolves to undefined if no step is needed. */
  static async begin(
    server: string,
    logIn: (interaction: LoginInteraction) => Promise<void>,
    clock: Clock,
  ): Promise<ClientLogin | undefined> {
    const cancelled = new AbortController();
    const ended = new AbortController();
    const cancel = () => cancelled.abort();
    const cancelDeadline = clock.after(DEADLINE_MS, cancel, { background: true });
    let paste!: (url: URL) => void;
    const pasted = new Promise<URL>((resolve) => (paste = resolve));
    let done!: Promise<void>;
    const step = await new Promise<LoginStep | undefined>((resolve, reject) => {
      const promptStep = (shown: LoginStep) => {
        resolve(shown);
        return pasted;
      };
      done = logIn({ remote: true, signal: cancelled.signal, promptStep }).finally(() => {
        cancelDeadline();
        ended.abort();
      });
      done.then(() => resolve(undefined), reject);
    });
    return step && new ClientLogin({ server, step, done, ended: ended.signal }, { paste, cancel });
  }

  /**
   * Completes the login with the URL at which the browser ended. Rejects if the URL is not the redirect of this login.
   */
  async paste(text: string): Promise<void> {
    const url = parseUrl(text.trim());
    if (!url) throw new HostError("LOGIN_FAILED", { server: this.server, reason: "the pasted text is not a URL" });
    // A device code is entered on the page, so nothing waits for a URL.
    if (this.step.type === "browser") this.#paste(url);
    await this.done;
  }

  cancel(): void {
    this.#cancel();
  }
}

/**
 * Returns the error for a request that needs this login first. Only `cause` has the step, so that no message shows it.
 */
export function clientLoginError(login: ClientLogin): HostError {
  return new HostError("AUTH_REQUIRED", { server: login.server, own: true }, { cause: login });
}

/** Returns the login that a failed request needs, if it failed with a `clientLoginError`. */
export function clientLoginIn({ cause }: HostError): ClientLogin | undefined {
  return cause instanceof ClientLogin ? cause : undefined;
}

/**
 * Converts the error of a failed login. The new error has the advice for a principal of the gateway, not for the owner.
 */
export function ownLoginError(server: string, thrown: unknown): HostError {
  const error = toHostError(thrown);
  if (!isHostError(error)) return error;
  switch (error.code) {
    case "LOGIN_FAILED":
    case "LOGIN_UNSAFE":
      return new HostError("LOGIN_FAILED", { server, reason: error.details.reason, own: true }, { cause: error });
    case "CANCELLED":
      return new HostError("LOGIN_FAILED", { server, reason: "it was not finished in time", own: true });
    default:
      return error;
  }
}

interface ClientLoginPorts {
  readonly paste: (url: URL) => void;
  readonly cancel: () => void;
}
