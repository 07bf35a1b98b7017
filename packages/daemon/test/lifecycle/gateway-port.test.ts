import { once } from "node:events";
import { createServer } from "node:net";
import { freePort } from "@plugboard/testkit/free-port";
import { describe, expect, it, vi } from "vitest";
import { DrainingHttpServer } from "#http/draining-http-server.js";
import { GatewayPort } from "#lifecycle/gateway-port.js";
import type { GatewayPortOptions } from "#lifecycle/gateway-port.js";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

describe("GatewayPort", () => {
  it("frees its port and its workspace if the server of page links can't listen", async () => {
    const release = vi.fn<() => Promise<void>>(async () => {});
    const workspace = { gatewaySettings: {}, onConfigRead: () => () => {} };
    const port = await freePort();
    const gatewayPort = new GatewayPort({
      host: { open: async () => workspace, release },
      clock: new ManualClock(),
      makeGateway: () => ({ busy: false, close: () => {} }),
      makeServer: () => ({
        server: makeServer(),
        sandbox: { server: makeServer() },
        linkServer: { server: makeServer(), listen: () => Promise.reject(new Error("no port is left")) },
      }),
    } as unknown as GatewayPortOptions);
    await expect(gatewayPort.open({ cwd: "/" }, { port })).rejects.toThrow("no port is left");
    expect(release).toHaveBeenCalledOnce();
    expect(gatewayPort.info).toBeUndefined();
    const next = createServer().listen(port, "127.0.0.1");
    await once(next, "listening");
    next.close();
  });
});

function makeServer(): DrainingHttpServer {
  return new DrainingHttpServer(async (_request, response) => void response.end());
}
