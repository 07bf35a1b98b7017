/**
 * The settings of the port that depend on the config: whose tokens are accepted, how many requests a client may send,
 * and under which name clients beyond this machine reach the port. Follows the config while the port is open. The
 * address to listen on stays the same.
 */
import { canonicalJson, toHostError } from "@plugboard/contracts";
import type { HostError, Clock } from "@plugboard/contracts";
import { GATEWAY_KEYS } from "@plugboard/config";
import type { GatewayAuth } from "@plugboard/config";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import { ResourceServer } from "../auth/oauth/resource-server.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { resolveServingAddress } from "./serving-address.ts";
import type { RequestedAddress } from "./serving-address.ts";

export interface PortSettingsOptions {
  readonly workspace: Pick<OpenWorkspace, "gatewaySettings" | "onConfigRead">;
  readonly address: RequestedAddress;
  readonly clock: Clock;
  /** The least time between two requests for the issuer's keys. */
  readonly keyCooldownMs?: number | undefined;
  /**
   * Called if a new config names no issuer although the address needs one. The port keeps its public name, but accepts
   * no more tokens of an issuer.
   */
  readonly onRefused: (error: HostError) => void;
}

const REQUESTS_PER_SECOND = GATEWAY_KEYS.requests_per_second.default;

export class PortSettings {
  /** The address to listen on. */
  readonly host: string;
  readonly rateLimiter: RateLimiter;

  readonly #options: PortSettingsOptions;
  readonly #stopListening: () => void;
  #resourceServer: ResourceServer | undefined;
  #publicOrigin: string | undefined;

  /** Throws USAGE if the config does not fit the address. */
  constructor(options: PortSettingsOptions) {
    const { workspace, address, clock } = options;
    const { auth, requestsPerSecond = REQUESTS_PER_SECOND } = workspace.gatewaySettings;
    const { host, publicOrigin } = resolveServingAddress(address, auth);
    this.#options = options;
    this.host = host;
    this.rateLimiter = new RateLimiter(requestsPerSecond, clock);
    this.#publicOrigin = publicOrigin;
    this.#resourceServer = this.#makeResourceServer(auth);
    this.#stopListening = workspace.onConfigRead(() => this.#onConfigRead());
  }

  /** Checks the tokens of the external issuer, if the config names one. */
  get resourceServer(): ResourceServer | undefined {
    return this.#resourceServer;
  }

  /** The origin for clients beyond this machine. */
  get publicOrigin(): string | undefined {
    return this.#publicOrigin;
  }

  /** Stops following the config. */
  close(): void {
    this.#stopListening();
  }

  #onConfigRead(): void {
    const { workspace, address, onRefused } = this.#options;
    const { auth, requestsPerSecond = REQUESTS_PER_SECOND } = workspace.gatewaySettings;
    this.rateLimiter.perSecond = requestsPerSecond;
    const current = this.#resourceServer?.auth;
    // The resource server keeps the issuer's keys, so an equal one is not replaced.
    if (canonicalJson(auth ?? null) === canonicalJson(current ?? null)) return;
    this.#resourceServer = this.#makeResourceServer(auth);
    try {
      this.#publicOrigin = resolveServingAddress(address, auth).publicOrigin;
    } catch (thrown) {
      onRefused(toHostError(thrown));
    }
  }

  #makeResourceServer(auth: GatewayAuth | undefined): ResourceServer | undefined {
    const { clock, keyCooldownMs } = this.#options;
    return auth && new ResourceServer(auth, { clock, keyCooldownMs });
  }
}
