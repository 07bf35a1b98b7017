/** Starts a running host with one server of each era and transport. */
import { everythingStdio, modernStdio, startEverythingHttp, startModernHttp } from "@plugboard/testkit/start-server";
import { startRunningHost } from "../../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../../daemon/test/helpers/running-host.ts";

/** `close` of the host also closes the servers. */
export async function startFourServers(): Promise<RunningHost> {
  const servers = await Promise.all([startEverythingHttp(), startModernHttp()]);
  const [everythingHttp, modernHttp] = servers;
  const host = await startRunningHost({
    legacy_stdio: everythingStdio(),
    legacy_http: { url: everythingHttp.url },
    modern_stdio: modernStdio(),
    modern_http: { url: modernHttp.url },
  });
  const close = async () => {
    await host.close();
    await Promise.all(servers.map((server) => server.close()));
  };
  return { ...host, close };
}
